"""One executed job in a file: a JSON object a line, written as it comes, readable at any length."""

from __future__ import annotations

import os
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from io import BufferedReader
from itertools import chain, count, islice
from operator import lt
from pathlib import Path
from typing import Any, Self, TypeVar

import msgspec

from igen.damage import Damage
from igen.file_format import FORMAT_FIELD, check_format
from igen.store.access import not_read, not_written
from igen.store.checked_line import Event, read_line, sealed
from igen.store.files import open_file, reading

JOBS_FOLDER = "jobs"
RUN_FORMAT = 2
"""Format of the files of a run: `run.json` and the store's own lines in jobs files. Format 1 knew no plan."""
_TAIL_BYTES = 65_536
"""Longest `job_end`, with all of its standard error."""
_FIRST_LINES = 16
"""Most lines before an agent's greeting."""
NumberedEvents = Iterator[tuple[int, Event]]
"""Events with the numbers of their lines."""
T = TypeVar("T")
_encoder = msgspec.json.Encoder()


class JobWriter:
    """Appends lines to a new jobs file. A line is on its way to the disk when `line` returns.

    Left without `end`, the file counts as cut off.
    Raises `IgenError` when the file cannot be written, such as for want of space; what was
    written before stays.
    """

    def __init__(self, path: Path, start: dict[str, Any]) -> None:
        self.path = path
        self.start = {FORMAT_FIELD: RUN_FORMAT, **start}
        self._whole_line = True
        self._lines = 0
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
        try:
            self._descriptor = open_file(path, flags, folders=_folders(path))
        except OSError as error:
            raise not_written(path, error) from error
        self.event({"job_start": self.start})

    def line(self, line: bytes) -> None:
        """Append an agent's line, given without its line feed, with number and checksum."""
        self._lines += 1
        self._write(sealed(line, self._lines) + b"\n")

    def event(self, event: Event) -> None:
        """Append an event of the store."""
        self.line(_encoder.encode(event))

    def end(self, end: dict[str, Any]) -> None:
        """Write the last line, and wait until the file is on the disk."""
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


@dataclass(frozen=True, slots=True)
class Events:
    """Readable lines of a jobs file in the order of their numbers; each iteration reads the file."""

    path: Path
    offsets: array[int]
    """Start of each line."""

    def __len__(self) -> int:
        return len(self.offsets)

    def __iter__(self) -> Iterator[Event]:
        try:
            with read_file_of_run(self.path) as file:
                position = 0
                for offset in self.offsets:
                    if offset != position:
                        file.seek(offset)
                    text = file.readline()
                    position = offset + len(text)
                    if line := read_line(text.removesuffix(b"\n")):
                        yield line.event
        except OSError as error:
            raise not_read(self.path, error) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFile:
    """Content of a jobs file. A file that was cut off has no `end` and a warning."""

    path: Path
    events: Events
    """Every readable line, the store's own first and last ones included."""
    start: dict[str, Any] | None = None
    """The body of `job_start`."""
    end: dict[str, Any] | None = None
    """The body of `job_end`."""
    damage: list[Damage] = field(default_factory=list)
    """Damaged or missing lines."""
    numbers: Sequence[int] = ()
    """The lines of the events, from 1."""

    @property
    def warnings(self) -> list[Damage]:
        """Return the damage, and the place at which the file was cut off."""
        cut_off = Damage(kind="file-cut-off", file=self.path.name, count=len(self.events))
        return self.damage if self.end is not None else [*self.damage, cut_off]


def read_file_of_run(path: Path) -> BufferedReader:
    """Return the file of a job, or another file of a run, open for reading. Raises `OSError`."""
    return reading(path, folders=_folders(path))


def _folders(path: Path) -> int:
    """Return how many folders of the store a file of a run is in: its run's and, if it is a job, `jobs`."""
    return 2 if path.parent.name == JOBS_FOLDER else 1


def _body(name: str, event: Event | None) -> dict[str, Any] | None:
    body = event.get(name) if event else None
    return body if isinstance(body, dict) else None


def read_job_file(path: Path) -> JobFile:
    """Read a jobs file of any length; a line that is damaged, or is not an event, is left out and reported.

    Raises `UnknownFormat` if another release has written it.
    """
    return take_job_file(path, _exhaust)[0]


def take_job_file(path: Path, take: Callable[[NumberedEvents], T]) -> tuple[JobFile, T | None]:
    """Read a jobs file, and return also what `take` makes of its events; None without a `job_start`.

    Usually the file is read once. Only if its lines are not in order does `take` get the events again, in the
    order of their numbers. Raises `UnknownFormat` if another release has written the file.
    """
    index, taken = _Index(path), None
    try:
        with read_file_of_run(path) as file:
            events = index.read(file)
            first = next(events, None)
            begins = first is not None and _has_start(first[1], path)
            if first is not None and begins:
                taken = take(chain([first], events))
            _exhaust(events)
        job_file = index.job_file()
    except OSError as error:
        raise not_read(path, error) from error
    # Of a file that is cut off or damaged at its begin, nobody knows the format.
    if job_file.start is None:
        return job_file, None
    if not (begins and index.in_order):
        check_format(job_file.start, RUN_FORMAT, path)
        taken = take(zip(job_file.numbers, job_file.events, strict=True))
    return job_file, taken


def _exhaust(events: NumberedEvents) -> None:
    deque(events, maxlen=0)


def _has_start(event: Event, path: Path) -> bool:
    """Return True if an event is the store's first line. Raises `UnknownFormat`."""
    start = _body("job_start", event)
    if start is not None:
        check_format(start, RUN_FORMAT, path)
    return start is not None


@dataclass(slots=True)
class _Index:
    """Places of the readable lines of a jobs file, with their numbers."""

    path: Path
    places: array[int] = field(default_factory=lambda: array("Q"))
    """Their places in the file, from 1."""
    offsets: array[int] = field(default_factory=lambda: array("Q"))
    numbers: array[int] = field(default_factory=lambda: array("Q"))
    """The numbers that the store gave them; 0 for a line without one."""
    sequence: array[int] = field(default_factory=lambda: array("q"))
    """The agent's own numbers; -1 for a line without one."""
    broken: list[int] = field(default_factory=list)
    """Places of lines that cannot be read."""
    first: Event | None = None
    last: Event | None = None

    def read(self, file: Iterable[bytes]) -> NumberedEvents:
        """Yield each readable line with its number, or its place if it has none, and note where it stands."""
        offset = 0
        for place, text in enumerate(file, start=1):
            line = read_line(text.removesuffix(b"\n"))
            if line is not None:
                self.places.append(place)
                self.offsets.append(offset)
                self.numbers.append(line.number or 0)
                self.sequence.append(-1 if line.sequence is None else line.sequence)
                self.first, self.last = self.first or line.event, line.event
                yield line.number or place, line.event
            elif text.strip():
                self.broken.append(place)
            offset += len(text)

    @property
    def in_order(self) -> bool:
        """True if all lines are numbered in ascending order, or no line is numbered."""
        ascends = all(map(lt, self.numbers, islice(self.numbers, 1, None)))
        return not any(self.numbers) or (self.numbers[0] > 0 and ascends)

    def job_file(self) -> JobFile:
        """Return what was read. Lines out of order are read again."""
        if not any(self.numbers):
            broken = Damage.of_lines("lines-unreadable", self.path.name, self.broken, len(self.broken))
            return self._of(self.offsets, self.places, [broken] if self.broken else [])
        kept: Sequence[int] = range(len(self.numbers))
        twice: list[int] = []
        if not self.in_order:
            first: dict[int, int] = {}
            for index, number in enumerate(self.numbers):
                if not number:
                    self.broken.append(self.places[index])
                elif number in first:
                    twice.append(number)
                else:
                    first[number] = index
            kept = [first[number] for number in sorted(first)]
        ordered = array("Q", (self.numbers[index] for index in kept))
        damage = self._damage(kept, ordered, twice)
        return self._of(array("Q", (self.offsets[index] for index in kept)), ordered, damage)

    def _damage(self, kept: Sequence[int], ordered: array[int], twice: list[int]) -> list[Damage]:
        """Return the numbers of lines that are missing, occur twice or are out of order."""
        damage = []
        # Those that are broken stand where others are lost, or after the last one that is not.
        lost = max(ordered[-1] - len(ordered), len(self.broken))
        came = [self.sequence[index] for index in kept if self.sequence[index] >= 0]
        never_came = max(came, default=-1) + 1 - len(came) - lost
        name = self.path.name
        if lost:
            damage.append(Damage.of_lines("lines-lost", name, _missing(ordered), lost))
        if twice:
            damage.append(Damage.of_lines("lines-twice", name, twice, len(twice)))
        if not all(map(lt, kept, islice(kept, 1, None))):
            damage.append(Damage(kind="lines-disordered", file=name))
        if never_came > 0:
            damage.append(Damage(kind="lines-never-came", file=name, count=never_came))
        return damage

    def _of(self, offsets: array[int], numbers: array[int], damage: list[Damage]) -> JobFile:
        events = Events(self.path, offsets)
        if not self.in_order:
            ends = (Events(self.path, offsets[part]) for part in (slice(1), slice(-1, None)))
            self.first, self.last = (next(iter(each), None) for each in ends)
        return JobFile(
            path=self.path,
            events=events,
            start=_body("job_start", self.first),
            end=_body("job_end", self.last),
            damage=damage,
            numbers=numbers,
        )


def _missing(numbers: array[int]) -> Iterator[int]:
    """Yield the numbers from 1 that are not among the ascending ones, without an end."""
    expected = 1
    for number in numbers:
        yield from range(expected, number)
        expected = number + 1
    yield from count(expected)


def read_job_ends(path: Path) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """Read only the bodies of `job_start` and `job_end`; None if absent."""
    try:
        with read_file_of_run(path) as file:
            first = read_line(file.readline().removesuffix(b"\n"))
            file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL_BYTES))
            last = read_line(file.read().removesuffix(b"\n").rpartition(b"\n")[2])
    except OSError as error:
        raise not_read(path, error) from error
    return _body("job_start", first and first.event), _body("job_end", last and last.event)


def read_host(path: Path) -> str:
    """Return the host of the first agent of a job; empty if no agent has reported it yet."""
    try:
        with read_file_of_run(path) as file:
            lines = (read_line(line.removesuffix(b"\n")) for line in islice(file, _FIRST_LINES))
            bodies = (_body("hello", line.event) for line in lines if line)
            return next((str(body.get("host", "")) for body in bodies if body), "")
    except OSError as error:
        raise not_read(path, error) from error


def has_measured(path: Path) -> bool:
    """Return True if a job recorded an interval of its measurement."""
    try:
        with read_file_of_run(path) as file:
            found = (read_line(line.removesuffix(b"\n")) for line in file if b'"measure"' in line)
            bodies = (_body("snapshot", line.event) for line in found if line)
            return any(body and body.get("phase") == "measure" for body in bodies)
    except OSError as error:
        raise not_read(path, error) from error
