"""Files of a study: scenarios, and the tables that they name."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def scenario_files(study: dict[str, Any], folder: Path) -> list[tuple[Path, str]]:
    """The files that a job's parameters name by `scenario = "@FILE"`, and those of their tables: each as it
    is named, and the folder from which that is seen.

    The study was loaded before, so that its files are there and are TOML. Raises `OSError` where one is gone.
    """
    found: list[tuple[Path, str]] = []
    for named in _named(study.get("job")):
        path = folder / named
        found.append((folder, named))
        tables = tomllib.loads(path.read_text(encoding="utf-8")).get("data")
        beside = [
            table["file"]
            for table in (tables.values() if isinstance(tables, dict) else ())
            if isinstance(table, dict) and isinstance(table.get("file"), str) and "text" not in table
        ]
        found += [(path.parent, name) for name in beside]
    return found


def _named(table: object) -> Iterator[str]:
    """Yield scenarios in the parameters of a job and of its personas."""
    for name, value in table.items() if isinstance(table, dict) else ():
        scenario = value.get("scenario") if name == "params" and isinstance(value, dict) else None
        if isinstance(scenario, str) and scenario.startswith("@"):
            yield scenario[1:]
        else:
            yield from _named(value)
