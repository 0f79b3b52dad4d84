"""Position of a viewer in the jobs files of a run."""

from __future__ import annotations

import re
from typing import NamedTuple

from igen.errors import InputError

_WRITTEN = re.compile(r"([0-9]{1,9}):([0-9]{1,18})")
_WATCHED = re.compile(r"([0-9A-Za-z][0-9A-Za-z._-]*)(?:@(.+))?")
MOST_RUNS = 16
"""Most runs of a stream."""


class Position(NamedTuple):
    """The position after a line; positions of a run are ordered as its lines."""

    job: int
    """Number of the jobs file, from 1; 0 is before the first."""
    offset: int
    """Bytes of that file up to the end of the line."""

    def __str__(self) -> str:
        return f"{self.job:04d}:{self.offset}"


BEGIN = Position(0, 0)


def position_of(text: str) -> Position:
    """Parse a position such as `0003:184467`. Raises `InputError`."""
    match = _WRITTEN.fullmatch(text)
    if match is None:
        raise InputError(
            f"`{text[:40]}` is not a place in a run", hint="use a job and an offset, such as 0003:184467"
        )
    return Position(int(match[1]), int(match[2]))


def watched(text: str) -> dict[str, Position]:
    """`RUN@0003:184467,RUN`: runs, each with the place where its viewer is; from the begin where none is
    named. Raises `InputError`.
    """
    words = text.split(",")
    if len(words) > MOST_RUNS:
        raise InputError(f"{len(words)} runs in one stream are too many", hint=f"use at most {MOST_RUNS}")
    found = {}
    for word in words:
        match = _WATCHED.fullmatch(word)
        if match is None:
            raise InputError(
                f"`{word[:80]}` does not name a run", hint="use RUN or RUN@JOB:OFFSET, separated by commas"
            )
        found[match[1]] = position_of(match[2]) if match[2] else BEGIN
    return found


def written(places: dict[str, Position]) -> str:
    """Return the position as text."""
    return ",".join(f"{run}@{place}" for run, place in places.items())
