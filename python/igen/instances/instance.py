"""An instance: its record, and the places of its parts."""

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
    """An instance as recorded, running or not."""

    kind: str
    number: int
    """From 1."""
    folder: Path
    """Folder of this user; the server's account may write only into `data` and `run_folder`."""
    port: int
    cache_bytes: int
    max_connections: int
    durable: bool
    """True if commits wait for the disk."""
    settings: dict[str, str] = field(default_factory=dict)
    """Settings of the server in addition to iGen's settings."""
    version: str
    """Version of the server that created the instance."""
    created_unix_s: int

    @property
    def name(self) -> str:
        """`postgresql-1`."""
        return f"{self.kind}-{self.number}"

    @property
    def data(self) -> Path:
        """Return its data folder; absent until it is complete."""
        return self.folder / "data"

    @property
    def log(self) -> Path:
        """Return its log file."""
        return self.folder / "log"

    @property
    def run_folder(self) -> Path:
        """Return the folder of its socket: in `folder`, or in /tmp if the path is too long for a socket."""
        folder = self.folder / "run"
        if len(os.fsencode(folder)) <= _LONGEST_RUN_FOLDER:
            return folder
        return Path("/tmp") / f"igen-{hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]}"

    @property
    def pid_file(self) -> Path:
        """Return the file with the pid of the last start, absent after a stop; only this user writes it."""
        return self.folder / "pid"

    @property
    def pid(self) -> int:
        """Return the process id of its last start; 0 after a stop."""
        try:
            return int(self.pid_file.read_text(encoding="ascii"))
        except (OSError, ValueError):
            return 0

    def write(self) -> None:
        """Write the record atomically."""
        record = asdict(self)
        del record["folder"]
        write_record(self.folder, RECORD, record)


def read(folder: Path) -> Instance:
    """Return the instance in a folder. Raises `IgenError` if its record cannot be read."""
    try:
        return Instance(folder=folder, **read_record(folder, RECORD))
    except (OSError, ValueError, TypeError) as error:
        raise IgenError(f"not the record of an instance: {error}", where=str(folder / RECORD)) from error


def all_in(directory: Path) -> list[Instance]:
    """Return every instance in a directory, by kind and number."""
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
            "the folder belongs to another user", where=str(directory), hint="choose another --directory"
        )
    return directory
