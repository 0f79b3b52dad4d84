"""Noise of the machine as measured by `igen noise`, in a file of the store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from igen.file_format import check_format
from igen.first_use import ready
from igen.store.access import not_read, not_written
from igen.store.files import read_bytes, write_whole

NOISE_FILE = "noise.json"
NOISE_FORMAT = 1


class NoiseSession(msgspec.Struct, frozen=True, kw_only=True):
    """One pass over pairs of executions of the same system."""

    host: str
    workload: str
    settings: dict[str, Any]
    """The part of the job that is the same in every session of this system."""
    run: str
    """Run with the executions."""
    started_unix_s: float
    pairs: dict[str, list[tuple[float, float]]]
    """Figures of both sides of each pair by quantity, per second or in milliseconds."""
    first: dict[str, list[float]] = {}
    """By quantity and pair: 1 if the second side was executed first, -1 if the first side was; without the
    quantities for which this is unknown."""


class _File(msgspec.Struct, frozen=True, kw_only=True):
    format: int = NOISE_FORMAT
    sessions: list[NoiseSession] = []


def read_noise(store: Path) -> list[NoiseSession]:
    """All sessions, oldest first; none where the noise was never measured, or the file is damaged.

    Raises `UnknownFormat`, and `IgenError` where it cannot be read.
    """
    path = store / NOISE_FILE
    try:
        data = read_bytes(path, folders=0)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise not_read(path, error) from error
    try:
        check_format(msgspec.json.decode(data, type=dict[str, Any]), NOISE_FORMAT, path)
        return msgspec.json.decode(data, type=ready(_File)).sessions
    except (msgspec.DecodeError, UnicodeDecodeError):
        return []


def add_noise(store: Path, session: NoiseSession) -> None:
    """Add a session. The file is written atomically."""
    path = store / NOISE_FILE
    content = _File(sessions=[*read_noise(store), session])
    try:
        write_whole(path, msgspec.json.format(msgspec.json.encode(content)) + b"\n", folders=0)
    except OSError as error:
        raise not_written(path, error) from error
