"""The order of the executions: repeats outside, levels inside and back again, so that drift favours none.

Tests have a fixed order, and what is said of levels holds within each of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Protocol

from igen.analysis.sweep import MOST_RUNS, enough
from igen.study.plan import Level
from igen.study.study import Repeats

_CONFIRMATIONS = 1000
"""Number of the first confirmation: beyond all repeats of a sweep or a search."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One execution of one level."""

    level: Level
    repeat: int
    """From 0, counted for each level and purpose."""
    purpose: str
    """`sweep`, `search`, `confirm` or `scale`."""

    @property
    def job(self) -> dict[str, Any]:
        """The level's job, with random numbers of its own: a confirmation that drew those of the run that
        the search picked would confirm its luck."""
        first = _CONFIRMATIONS if self.purpose == "confirm" else 0
        return self.level.job | {"repeat": first + self.repeat}


class Order(Protocol):
    """Says what to execute next; told what came of it, it goes on."""

    def executions(self) -> Iterator[Execution]:
        """One execution after the other; `record` each before asking for the next."""

    def record(self, execution: Execution, throughput_per_s: float | None) -> bool:
        """Takes what an execution reached, None if it failed; tells whether it was the level's last."""


class Sweep:
    """Test by test every level once ascending, once descending, and so on, until each has its repeats."""

    def __init__(self, levels: list[Level], repeats: Repeats) -> None:
        self._levels = levels
        self._repeats = repeats
        self._throughputs: dict[int, list[float]] = {level.number: [] for level in levels}

    def executions(self) -> Iterator[Execution]:
        """One execution after the other."""
        repeat = 0
        while going_on := [level for level in self._levels if not self._done(level, repeat)]:
            for _, test in groupby(going_on, key=lambda level: level.test):
                for level in test if repeat % 2 == 0 else reversed([*test]):
                    yield Execution(level=level, repeat=repeat, purpose=level.purpose)
            repeat += 1

    def record(self, execution: Execution, throughput_per_s: float | None) -> bool:
        """Takes what an execution reached; tells whether the level is done."""
        if throughput_per_s is not None:
            self._throughputs[execution.level.number].append(throughput_per_s)
        return self._done(execution.level, execution.repeat + 1)

    def _done(self, level: Level, repeats: int) -> bool:
        if self._repeats == "auto":
            return repeats >= MOST_RUNS or enough(self._throughputs[level.number])
        return repeats >= self._repeats
