"""One executed job in a file: a JSON object a line, written as it comes, readable at any length."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import msgspec

from igen.store.access import not_read, not_written

Event = dict[str, Any]
"""One line: an object with a single key that says what it is."""

_TAIL_BYTES = 65_536
"""More than a `job_end` with all of its standard error takes."""
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder()


class JobWriter:
    """Appends lines to a new jobs file. A line is on its way to the disk when `line` returns.

    Left without `end`, the file counts as cut off.
    Raises `IgenError` when the file cannot be written, such as for want of space; what was
    written before stays.
    """

    def __init__(self, path: Path, start: dict[str, Any]) -> None:
        self.path = path
        self.start = start
        self._whole_line = True
        try:
            self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
        except OSError as error:
            raise not_written(path, error) from error
        self.event({"job_start": start})

    def line(self, line: bytes) -> None:
        """Appends an agent's line as it came, without its line feed."""
        self._write(line + b"\n")

    def event(self, event: Event) -> None:
        """Appends an event of the store's own."""
        self._write(_encoder.encode(event) + b"\n")

    def end(self, end: dict[str, Any]) -> None:
        """Writes the last line and returns when all of the file is on the disk."""
        self.event({"job_end": end})
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            raise not_written(self.path, error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            os.close(self._descriptor)
        except OSError as error:
            raise not_written(self.path, error) from error

    def _write(self, data: bytes) -> None:
        # What follows a line that was cut off by a full disk must not become part of it.
        rest = memoryview(data if self._whole_line else b"\n" + data)
        self._whole_line = False
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError as error:
            raise not_written(self.path, error) from error
        self._whole_line = True


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFile:
    """What a jobs file holds. A file that was cut off has no `end` and a warning."""

    path: Path
    events: list[Event]
    """Every readable line, the store's own first and last ones included."""
    warnings: list[str] = field(default_factory=list)

    @property
    def start(self) -> dict[str, Any] | None:
        """The body of `job_start`."""
        return _body("job_start", self.events[0]) if self.events else None

    @property
    def end(self) -> dict[str, Any] | None:
        """The body of `job_end`."""
        return _body("job_end", self.events[-1]) if self.events else None


def _decoded(line: bytes) -> Event | None:
    try:
        event = _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return event if isinstance(event, dict) and len(event) == 1 else None


def _body(name: str, event: Event | None) -> dict[str, Any] | None:
    body = event.get(name) if event else None
    return body if isinstance(body, dict) else None


def read_job_file(path: Path) -> JobFile:
    """Reads a jobs file of any length; lines that are no events are left out with a warning."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise not_read(path, error) from error
    events: list[Event] = []
    broken: list[int] = []
    for number, line in enumerate(data.split(b"\n"), start=1):
        event = _decoded(line)
        if event is not None:
            events.append(event)
        elif line.strip():
            broken.append(number)
    job_file = JobFile(path=path, events=events)
    if broken:
        lines = ", ".join(map(str, broken[:5])) + (", ..." if len(broken) > 5 else "")
        job_file.warnings.append(f"{path.name}: not readable: line {lines}")
    if job_file.end is None:
        job_file.warnings.append(f"{path.name}: cut off after {len(events)} events")
    return job_file


def read_job_ends(path: Path) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """Reads only the bodies of `job_start` and `job_end`; None for what is not there."""
    try:
        with path.open("rb") as file:
            first = file.readline()
            file.seek(max(0, path.stat().st_size - _TAIL_BYTES))
            last = file.read().removesuffix(b"\n").rpartition(b"\n")[2]
    except OSError as error:
        raise not_read(path, error) from error
    return _body("job_start", _decoded(first)), _body("job_end", _decoded(last))
