"""One instance: what is written down about it, and where its parts are."""

from __future__ import annotations

import hashlib
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path

from igen.errors import IgenError, InputError
from igen.own_folder import folders_with, read_record, write_record

RECORD = "instance.json"
"""Only folders with this file are ever started, stopped or removed."""
_LONGEST_RUN_FOLDER = 107 - len("/.s.PGSQL.65535.lock")
"""Bytes; the system allows 107 for the path of a socket."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """An instance as its record says; whether it runs is another question."""

    kind: str
    number: int
    """From 1."""
    folder: Path
    """Ours; the server's account may write into `data` and `run_folder` only."""
    port: int
    cache_bytes: int
    max_connections: int
    durable: bool
    """Whether commits wait until they are on the disk."""
    settings: dict[str, str] = field(default_factory=dict)
    """Settings of the server, beside iGen's own."""
    version: str
    """What the server said of itself when the instance was made."""
    created_unix_s: int

    @property
    def name(self) -> str:
        """`postgresql-1`."""
        return f"{self.kind}-{self.number}"

    @property
    def data(self) -> Path:
        """Its data folder; absent until it is complete."""
        return self.folder / "data"

    @property
    def log(self) -> Path:
        """What it says."""
        return self.folder / "log"

    @property
    def run_folder(self) -> Path:
        """Where its socket is: in `folder`, or in /tmp where that is too long for a socket."""
        folder = self.folder / "run"
        if len(os.fsencode(folder)) <= _LONGEST_RUN_FOLDER:
            return folder
        return Path("/tmp") / f"igen-{hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]}"

    @property
    def pid_file(self) -> Path:
        """Holds the pid of the last start; absent after a stop. The server's account cannot write it."""
        return self.folder / "pid"

    @property
    def pid(self) -> int:
        """Process id of its last start; 0 after a stop."""
        try:
            return int(self.pid_file.read_text(encoding="ascii"))
        except (OSError, ValueError):
            return 0

    def write(self) -> None:
        """Writes the record, at once or not at all."""
        record = asdict(self)
        del record["folder"]
        write_record(self.folder, RECORD, record)


def read(folder: Path) -> Instance:
    """The instance in a folder. Raises `IgenError` where its record cannot be read."""
    try:
        return Instance(folder=folder, **read_record(folder, RECORD))
    except (OSError, ValueError, TypeError) as error:
        raise IgenError(f"not the record of an instance: {error}", where=str(folder / RECORD)) from error


def all_in(directory: Path) -> list[Instance]:
    """Every instance in a directory, by kind and number."""
    return sorted(
        (read(folder) for folder in folders_with(RECORD, directory)), key=lambda one: (one.kind, one.number)
    )


def default_directory() -> Path:
    """`IGEN_INSTANCES`, or a place of this user's that survives a restart.

    The accounts of servers may enter it, unlike most home folders. Raises `InputError` where somebody else
    has made a folder of that name.
    """
    if given := os.environ.get("IGEN_INSTANCES"):
        return Path(given)
    user = os.geteuid()
    directory = Path(f"/var/tmp/igen-instances-{user}")
    if directory.is_symlink() or (directory.exists() and directory.stat().st_uid != user):
        raise InputError(
            "the folder belongs to another user", where=str(directory), hint="choose a --directory"
        )
    return directory
