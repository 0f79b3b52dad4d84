"""Counters of a target over the measurement, such as the hits of its cache."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Counts = dict[str, int]
"""Counters that only grow, by the name of their fact."""
ReadCounts = Callable[[Mapping[str, Any]], Counts | None]
"""A function that reads the counters of the targets of a job; None if there are none or no answer."""
MEASURE = "measure"


def no_counts(_job: Mapping[str, Any]) -> Counts | None:
    """Return None: targets without counters."""
    return None


class CountsOverMeasure:
    """Reads the counters at the start and at the end of the measurement."""

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
