"""Folders that iGen makes for things of its own: a record of what is in each, and one command at a time."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from igen.errors import IgenError
from igen.file_format import FORMAT_FIELD, check_format

RECORD_FORMAT = 1


def part_of(record: str) -> str:
    """Name of a record that is being written."""
    return f"{record}.part"


def write_record(folder: Path, record: str, fields: Mapping[str, Any]) -> None:
    """Writes the record of a folder, at once or not at all."""
    part = folder / part_of(record)
    versioned = {FORMAT_FIELD: RECORD_FORMAT, **fields}
    part.write_text(json.dumps(versioned, indent=2) + "\n", encoding="utf-8")
    part.replace(folder / record)


def read_record(folder: Path, record: str) -> dict[str, Any]:
    """The fields of a record. Raises `OSError`, `ValueError` where it is none, and `UnknownFormat`."""
    path = folder / record
    fields = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(fields, dict):
        raise ValueError("no JSON object")
    if FORMAT_FIELD not in fields:
        raise ValueError("it does not say its format")
    check_format(fields, RECORD_FORMAT, path)
    return {name: value for name, value in fields.items() if name != FORMAT_FIELD}


def folders_with(record: str, directory: Path) -> list[Path]:
    """The folders in a directory that have a record; none where there is no directory."""
    return [path.parent for path in directory.glob(f"*/{record}")] if directory.is_dir() else []


@contextmanager
def only_one(directory: Path, doing: str) -> Iterator[None]:
    """Keeps other commands from a directory. Raises `IgenError` where one is already `doing` this there."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise IgenError(f"another command is {doing} there", where=str(directory)) from None
        yield
    finally:
        os.close(descriptor)
