"""The servers, libraries and folders that must be there before a study can run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from igen.study.study import Study, load_study
from igen.study.targets import named_targets
from igen.study.time_needed import time_needed_s

_LIBRARIES = {"sqlite": "", "duckdb": "igen install duckdb"}
"""Databases in the process of the load, and how to install them; empty if iGen contains them."""


def needs_of(study: Study) -> list[str]:
    """Return its servers, one entry for each kind, libraries, missing folders, and its own list of needs."""
    found: dict[str, list[str]] = {}
    for target in dict.fromkeys(_targets(study)):
        url = urlsplit(target)
        if url.scheme in _LIBRARIES:
            if library := _LIBRARIES[url.scheme]:
                found.setdefault(library, [])
        elif url.scheme == "file":
            if not (folder := Path(url.path).parent).is_dir():
                found.setdefault("the folder", []).append(str(folder))
        else:
            port = f":{url.port}" if url.port else ""
            found.setdefault(url.scheme, []).append(f"{url.hostname}{port}")
    return [*(_entry(kind, list(dict.fromkeys(places))) for kind, places in found.items()), *study.needs]


def described(path: Path) -> dict[str, Any]:
    """Return file, title, needs and time of the study at `path`. Raises `InputError` if it is wrong."""
    study = load_study(path)
    return {
        "file": str(path),
        "title": study.title or study.name,
        "needs": needs_of(study),
        "time_s": time_needed_s(study),
    }


def _entry(kind: str, places: list[str]) -> str:
    if not places:
        return kind
    more = f" and {len(places) - 1} more" if len(places) > 1 else ""
    return f"{kind} {places[0]}{more}"


def _targets(study: Study) -> Iterator[str]:
    parts: list[dict[str, Any]] = [*(each.job for each in study.systems), *(each.job for each in study.tests)]
    varied = [{"targets": value} for value in study.axes.get("targets", [])]
    for job in (study.job, *parts, *varied):
        yield from named_targets(job)
