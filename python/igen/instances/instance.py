"""One instance: what is written down about it, and where its parts are."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from igen.errors import IgenError

RECORD = "instance.json"
"""Only folders with this file are ever started, stopped or removed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """An instance as its record says; whether it runs is another question."""

    kind: str
    number: int
    """From 1."""
    folder: Path
    run_folder: Path
    """Of its socket: `folder`, or a shorter one where that is too long for a socket."""
    port: int
    cache_bytes: int
    max_connections: int
    settings: dict[str, str] = field(default_factory=dict)
    """Of the server, beside iGen's own."""
    pid: int = 0
    """Of its last start."""

    @property
    def name(self) -> str:
        """`postgresql-1`."""
        return f"{self.kind}-{self.number}"

    @property
    def data(self) -> Path:
        """Its data folder."""
        return self.folder / "data"

    @property
    def log(self) -> Path:
        """What it says."""
        return self.folder / "log"

    def started(self, pid: int) -> Instance:
        """The same instance with the pid of a new start, written down."""
        instance = replace(self, pid=pid)
        instance.write()
        return instance

    def write(self) -> None:
        """Writes the record, at once or not at all."""
        record = {**asdict(self), "folder": str(self.folder), "run_folder": str(self.run_folder)}
        part = self.folder / f"{RECORD}.part"
        part.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
        part.replace(self.folder / RECORD)


def read(folder: Path) -> Instance:
    """The instance in a folder. Raises `IgenError` where its record cannot be read."""
    path = folder / RECORD
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        return Instance(**{**record, "folder": folder, "run_folder": Path(record["run_folder"])})
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise IgenError(f"not the record of an instance: {error}", where=str(path)) from error


def all_in(directory: Path) -> list[Instance]:
    """Every instance in a directory, by kind and number."""
    folders = [path.parent for path in directory.glob(f"*/{RECORD}")] if directory.is_dir() else []
    return sorted((read(folder) for folder in folders), key=lambda one: (one.kind, one.number))


def default_directory() -> Path:
    """`IGEN_INSTANCES`, or a place of this user's that survives a restart.

    The accounts of servers may enter it, unlike most home folders.
    """
    given = os.environ.get("IGEN_INSTANCES")
    return Path(given) if given else Path(f"/var/tmp/igen-instances-{os.getuid()}")
