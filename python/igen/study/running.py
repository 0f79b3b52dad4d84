"""A running study, as seen by the order of its executions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from igen.errors import InputError
from igen.fleet.agent import Agent
from igen.judge.record.recording import Recording
from igen.judge.result import System
from igen.study.levels import PlannedLevel
from igen.study.study import Study, order_seed


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """Input of an order of executions."""

    study: Study
    agent: Agent
    levels: list[PlannedLevel]
    """Planned levels."""
    noise: float | None
    """Noise of a run's throughput, if `igen noise` has measured it."""
    warn: Callable[[str], None]
    judged: Callable[[], list[System]]
    """Function that judges all executions so far."""
    earlier: Callable[[], Iterator[Recording]]
    """Function that yields the executions of earlier sessions."""

    @property
    def seed(self) -> str:
        """Random numbers that draw the order."""
        return order_seed(self.study)

    def tried(self, make: Callable[[], PlannedLevel]) -> PlannedLevel | None:
        """Return a level that was not planned; None, with a warning, if the agent refuses it."""
        try:
            return make()
        except InputError as error:
            self.warn(f"the search ends here: {error}")
            return None
