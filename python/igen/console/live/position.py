"""Where a viewer has got to in the jobs files of a run."""

from __future__ import annotations

import re
from typing import NamedTuple

from igen.errors import InputError

_WRITTEN = re.compile(r"([0-9]{1,9}):([0-9]{1,18})")
_WATCHED = re.compile(r"([0-9A-Za-z][0-9A-Za-z._-]*)(?:@(.+))?")
MOST_RUNS = 16
"""Runs of one stream."""


class Position(NamedTuple):
    """The place behind a line; places of a run are in the order of its lines."""

    job: int
    """Number of the jobs file, from 1; 0 is before the first."""
    offset: int
    """Bytes of that file up to the end of the line."""

    def __str__(self) -> str:
        return f"{self.job:04d}:{self.offset}"


BEGIN = Position(0, 0)


def position_of(text: str) -> Position:
    """`0003:184467` as it is written. Raises `InputError`."""
    match = _WRITTEN.fullmatch(text)
    if match is None:
        raise InputError(
            f"`{text[:40]}` is no place in a run", hint="a job and an offset, such as 0003:184467"
        )
    return Position(int(match[1]), int(match[2]))


def watched(text: str) -> dict[str, Position]:
    """`RUN@0003:184467,RUN`: runs, each with the place where its viewer is; from the begin where none is
    named. Raises `InputError`.
    """
    words = text.split(",")
    if len(words) > MOST_RUNS:
        raise InputError(f"{len(words)} runs in one stream", hint=f"at most {MOST_RUNS}")
    found = {}
    for word in words:
        match = _WATCHED.fullmatch(word)
        if match is None:
            raise InputError(f"`{word[:80]}` names no run", hint="RUN or RUN@JOB:OFFSET, with commas between")
        found[match[1]] = position_of(match[2]) if match[2] else BEGIN
    return found


def written(places: dict[str, Position]) -> str:
    """The same as text."""
    return ",".join(f"{run}@{place}" for run, place in places.items())
