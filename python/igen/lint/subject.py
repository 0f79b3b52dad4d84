"""What checks ask of a system: its facts in plain types, and what its workload does."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from igen.errors import InputError
from igen.facts import HOST_NAME, TARGET_VERSION
from igen.judge.record.recording import Recording
from igen.judge.record.target import Place, target_place
from igen.judge.result import System
from igen.loads import Loads
from igen.units import parse_bytes

DATABASES = ("postgresql", "mysql", "sqlite", "duckdb")
"""Engines as facts name them: `target.ENGINE.NAME`."""
ON_TABLES = ("oltp", "bank", "scan")
"""Workloads that read or write tables."""
_ALWAYS_WRITE = ("bank", "ldap-modify", "ldap-mixed")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*(k|m|g|t)?i?b?", re.IGNORECASE)
_POWERS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}


def engine_of(system: System) -> str:
    """The database engine that the system's facts tell of; empty where they tell of none."""
    return next((each for each in DATABASES if fact(system, TARGET_VERSION.of(each)) is not None), "")


def fact(system: System, name: str) -> str | None:
    """A fact as text; None where it is not known. Several servers that differ are joined."""
    value = system.facts.get(name)
    if value is None:
        return None
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def number(system: System, name: str) -> float | None:
    """A fact that is one number; None of any other."""
    value = system.facts.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def size_bytes(system: System, name: str) -> float | None:
    """A fact that is a number of bytes, or a size as a server writes it, with powers of 1,024: `128MB`."""
    known = number(system, name)
    found = _SIZE.fullmatch(fact(system, name) or "") if known is None else None
    return known if found is None else float(found[1]) * 2.0 ** _POWERS[(found[2] or "").lower()]


def param_number(params: Mapping[str, Any], name: str) -> float | None:
    """A parameter that is a number, or a size such as `256MiB`; None where the job does not say it."""
    value = params.get(name)
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return float(value)
    try:
        return float(parse_bytes(str(value)))
    except InputError:
        return None


def writes(system: System) -> bool:
    """Whether its transactions change what is stored, so that durability costs something."""
    asked = [load.params for load in Loads.of(system.job)]
    match system.workload:
        case "oltp":
            return not all(params.get("read_only") for params in asked)
        case "io":
            return not all(param_number(params, "read") == 100 for params in asked)
        case "ldap-siteminder":
            return not all(params.get("modify") is False for params in asked)
        case _:
            return system.workload in _ALWAYS_WRITE


def place_of(system: System) -> Place:
    """Where its targets are, seen from the load process."""
    job = {"targets": system.targets}
    return target_place(Recording(job=job, host=fact(system, HOST_NAME) or ""))


def paths_of(system: System) -> list[str]:
    """The files that are its targets: of SQLite, DuckDB and `io`."""
    parts = [urlsplit(target) for target in system.targets]
    # `sqlite:///shop.db` is a file of the working directory, `sqlite:////data/shop.db` is not.
    return [
        part.path[1:] if part.scheme in ("sqlite", "duckdb") else part.path
        for part in parts
        if part.scheme in ("sqlite", "duckdb", "file")
    ]
