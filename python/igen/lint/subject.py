"""A system for checks: its facts in plain types, and properties of its workload."""

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
"""Names of engines in facts: `target.ENGINE.NAME`."""
ON_TABLES = ("oltp", "bank", "scan")
"""Workloads that read or write tables."""
_ALWAYS_WRITE = ("bank", "ldap-modify", "ldap-mixed")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*(k|m|g|t)?i?b?", re.IGNORECASE)
_POWERS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}


def engine_of(system: System) -> str:
    """Return the database engine in the system's facts; empty if there is none."""
    return next((each for each in DATABASES if fact(system, TARGET_VERSION.of(each)) is not None), "")


def fact(system: System, name: str) -> str | None:
    """Return a fact as text; None if unknown. Different values of several servers are joined."""
    value = system.facts.get(name)
    if value is None:
        return None
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def number(system: System, name: str) -> float | None:
    """Return a fact that is a number; None otherwise."""
    value = system.facts.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def size_bytes(system: System, name: str) -> float | None:
    """Return a fact in bytes: a number, or a size of a server, with powers of 1,024: `128MB`."""
    known = number(system, name)
    found = _SIZE.fullmatch(fact(system, name) or "") if known is None else None
    return known if found is None else float(found[1]) * 2.0 ** _POWERS[(found[2] or "").lower()]


def param_number(params: Mapping[str, Any], name: str) -> float | None:
    """Return a parameter that is a number, or a size such as `256MiB`; None if the job does not have it."""
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
    """Return True if its transactions write, so that durability has a cost."""
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
    """Return the places of its targets, seen from the load process."""
    job = {"targets": system.targets}
    return target_place(Recording(job=job, host=fact(system, HOST_NAME) or ""))


def paths_of(system: System) -> list[str]:
    """Return the files that are its targets: of SQLite, DuckDB and `io`."""
    parts = [urlsplit(target) for target in system.targets]
    # `sqlite:///shop.db` is a file of the working directory, `sqlite:////data/shop.db` is not.
    return [
        part.path[1:] if part.scheme in ("sqlite", "duckdb") else part.path
        for part in parts
        if part.scheme in ("sqlite", "duckdb", "file")
    ]
