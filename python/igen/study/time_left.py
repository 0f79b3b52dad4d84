"""The remaining time of a study, from its plan and its executions so far."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from igen.study.levels import PlannedLevel
from igen.study.study import Study

_BEFORE_LOAD = ("start", "prepare", "verify")
"""Phases of unknown length, which the remaining time does not include."""


@dataclass(slots=True)
class TimeLeft:
    """The remaining time; an extended measurement makes later measurements longer too."""

    now: Callable[[], float] = time.monotonic
    _planned_s: float | None = None
    """Length of the remaining executions; None if their number is unknown."""
    _ends_s: float | None = None
    """Latest end of a search."""
    _began_s: float = 0.0
    _phase: str = "start"
    _done_planned_s: float = 0.0
    _done_took_s: float = 0.0

    def plan(self, study: Study, levels: list[PlannedLevel]) -> None:
        """Take in the executions of the study."""
        within_s = study.plan.within_s
        self._ends_s = within_s and self.now() + within_s
        self._planned_s = study.plan.known_s(levels)
        self.begin()

    def begin(self) -> None:
        """Start an execution."""
        self._began_s, self._phase = self.now(), "start"

    def enter(self, phase: str) -> None:
        """Take in the next phase of the execution; its time restarts after a preparation."""
        if self._phase in _BEFORE_LOAD:
            self._began_s = self.now()
        self._phase = phase

    def end(self, planned_s: float) -> None:
        """Take in an execution that was planned to take so long."""
        self._done_planned_s += planned_s
        self._done_took_s += self.now() - self._began_s
        self.skip(planned_s)

    def skip(self, planned_s: float) -> None:
        """Take off an execution that was carried out earlier."""
        if self._planned_s is not None:
            self._planned_s -= planned_s
        self.begin()

    @property
    def left_s(self) -> float | None:
        """Seconds to the end of the study; None if unknown, or if all that was planned is done."""
        if self._ends_s is not None:
            return max(self._ends_s - self.now(), 0.0)
        if self._planned_s is None or round(self._planned_s, 6) <= 0:
            return None
        longer = max(self._done_took_s / self._done_planned_s, 1.0) if self._done_planned_s else 1.0
        return max(longer * self._planned_s - (self.now() - self._began_s), 0.0)
