"""Damage of the files of a run, as data: what is missing, changed, or not as it was written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Literal

DamageKind = Literal[
    "file-missing",
    "file-added",
    "file-changed",
    "file-cut-off",
    "run-foreign",
    "study-foreign",
    "execution-twice",
    "lines-unreadable",
    "lines-lost",
    "lines-twice",
    "lines-disordered",
    "lines-never-came",
    "event-malformed",
    "record-rebuilt",
]
"""Rules of the judge, which are about one file."""
MOST_LINES = 5
"""Lines of a file that are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """One kind of damage of one file."""

    kind: DamageKind
    file: str
    """Name of the file."""
    lines: tuple[int, ...] = ()
    """The first lines that it is about, from 1."""
    count: int | None = None
    """All lines, or events, that it is about; None for damage that is not about lines."""
    of: str = ""
    """The other run, or the kind of the event."""
    error: str = ""
    """Why the event cannot be read."""

    @classmethod
    def of_lines(cls, kind: DamageKind, file: str, lines: Iterable[int], count: int) -> Damage:
        """Return damage of so many lines, of which the first ones are named."""
        return cls(kind=kind, file=file, lines=tuple(islice(lines, min(count, MOST_LINES))), count=count)
