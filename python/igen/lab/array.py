"""One array: what is written down about it, and where its parts are."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from pathlib import Path

from igen.errors import IgenError, InputError
from igen.lab.kinds import KINDS
from igen.own_folder import folders_with, part_of, read_record, write_record

RECORD = "array.json"
"""Only folders with this file are ever mounted, unmounted or removed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Array:
    """An array as its record says; whether it is mounted is another question."""

    kind: str
    folder: Path
    devices: int
    device_bytes: int
    """Size of each device."""
    iops: int
    """Most reads, and most writes, a second that each device does; 0 for no cap."""
    made: bool = False
    """Whether its file system is complete: what an `up` leaves that was cut off has none."""

    @property
    def name(self) -> str:
        """That of its kind: a directory holds one of each."""
        return self.kind

    @property
    def files(self) -> list[Path]:
        """What its devices are made of."""
        return [self.folder / f"device-{number}" for number in range(1, self.devices + 1)]

    @property
    def is_free(self) -> bool:
        """Whether nothing is in its folder but what an `up` leaves that was cut off at once."""
        return not self.folder.exists() or {path.name for path in self.folder.iterdir()} <= {part_of(RECORD)}

    @property
    def mount_point(self) -> Path:
        """Where its file system is."""
        return self.folder / "mount"

    @property
    def target(self) -> str:
        """A file on it, to be loaded; any other name would do."""
        return f"file://{self.mount_point}/data"

    @property
    def disk_bytes(self) -> int:
        """What its devices take of the disk when they are full."""
        return self.devices * self.device_bytes

    @property
    def data_bytes(self) -> int:
        """Room for data on it, roughly: without copies and parity, metadata not taken off."""
        return int(KINDS[self.kind].data_devices(self.devices) * self.device_bytes)

    def write(self) -> None:
        """Writes the record, at once or not at all."""
        record = asdict(self)
        del record["folder"]
        write_record(self.folder, RECORD, record)


def read(folder: Path) -> Array:
    """The array in a folder. Raises `IgenError` where its record cannot be read."""
    try:
        return Array(folder=folder, **read_record(folder, RECORD))
    except (OSError, ValueError, TypeError) as error:
        raise IgenError(f"not the record of an array: {error}", where=str(folder / RECORD)) from error


def all_in(directory: Path) -> list[Array]:
    """Every array in a directory, by kind."""
    return sorted((read(folder) for folder in folders_with(RECORD, directory)), key=lambda array: array.kind)


def default_directory() -> Path:
    """`IGEN_ARRAYS`, or a place that survives a restart.

    Raises `InputError` where somebody else has made a folder of that name: what root would write into it
    could go anywhere.
    """
    if given := os.environ.get("IGEN_ARRAYS"):
        return Path(given)
    directory = Path("/var/tmp/igen-arrays")
    if directory.is_symlink() or (directory.exists() and directory.stat().st_uid not in (0, os.geteuid())):
        raise InputError(
            "the folder belongs to another user", where=str(directory), hint="choose a --directory"
        )
    return directory
