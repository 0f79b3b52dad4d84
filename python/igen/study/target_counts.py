"""What a target itself counts, such as the hits of its cache: over MEASURE, beside what the load counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Counts = dict[str, int]
"""Counters that only grow, by the name of the fact that tells them."""
ReadCounts = Callable[[Mapping[str, Any]], Counts | None]
"""Reads the counters of the targets of a job; None where they have none, or do not answer."""
MEASURE = "measure"


def no_counts(_job: Mapping[str, Any]) -> Counts | None:
    """Targets that count nothing, or nothing that may be asked for."""
    return None


class CountsOverMeasure:
    """Reads the counters where MEASURE begins and where it ends."""

    def __init__(self, job: Mapping[str, Any], read: ReadCounts) -> None:
        self._job, self._read = job, read
        self._before: Counts | None = None

    def entered(self, phase: str) -> Counts | None:
        """By how much each grew, once MEASURE is over; None before, and where one of them went back: what
        counted was started anew.
        """
        if phase == MEASURE:
            self._before = self._read(self._job)
            return None
        before, self._before = self._before, None
        after = self._read(self._job) if before is not None else None
        if before is None or after is None or before.keys() != after.keys():
            return None
        grown = {name: after[name] - before[name] for name in after}
        return grown if min(grown.values(), default=-1) >= 0 else None
