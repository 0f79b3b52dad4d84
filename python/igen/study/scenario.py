"""Files that a parameter names by `@FILE`: a scenario in TOML, with the tables that it names."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from igen.errors import InputError
from igen.loads import path_of, several
from igen.study.text_file import MOST_BYTES, read_bounded


def read_scenario(path: Path, where: str) -> dict[str, Any]:
    """The scenario in that file; each of its tables has as `text` what is in its file, beside the scenario.

    Raises `InputError` where a file cannot be read, is no TOML, or is too large.
    """
    text = _text(path, where)
    try:
        scenario = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not TOML: {error}", where=where) from None
    tables = scenario.get("data")
    for name, table in tables.items() if isinstance(tables, dict) else ():
        if isinstance(table, dict) and isinstance(table.get("file"), str) and "text" not in table:
            table["text"] = _text(path.parent / table["file"], f"{where}.data.{name}")
    return scenario


def with_scenario(study: dict[str, Any], folder: Path) -> None:
    """Puts scenarios into a study whose job or loads name them by `scenario = "@FILE"`, seen from its own
    folder.

    Raises `InputError` as `read_scenario` does.
    """
    job = study.get("job")
    loads = several(job) if isinstance(job, dict) else {}
    holders = [("", job), *loads.items()]
    for name, holder in holders:
        params = holder.get("params") if isinstance(holder, dict) else None
        named = params.get("scenario") if isinstance(params, dict) else None
        if isinstance(params, dict) and isinstance(named, str) and named.startswith("@"):
            params["scenario"] = read_scenario(folder / named[1:], f"job.{path_of(name, 'params.scenario')}")


def _text(path: Path, where: str) -> str:
    """Read at most the allowed length of a file: devices and pipes have size 0."""
    try:
        content = read_bounded(path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}", where=where) from None
    if len(content) > MOST_BYTES:
        raise InputError(
            f"{path} is larger than 4 MiB",
            where=where,
            hint="files that travel in the job have at most 4 MiB: remove columns or rows",
        )
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise InputError(f"{path} is not in UTF-8: line {line}", where=where) from None
