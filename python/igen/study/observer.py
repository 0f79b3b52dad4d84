"""Observer of a study. The base class ignores all calls; a live table and plain lines override it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from igen.judge.compare.decided import Look
from igen.judge.result import Finding, Level
from igen.store.run import Run
from igen.study.levels import PlannedLevel
from igen.study.order import Execution
from igen.study.study import Study


class Observer:
    """Told in this order: `run_started`, then for each execution `job_started`, `event`, `job_finished`; or
    `kept` alone."""

    def run_started(self, run: Run, study: Study, levels: list[PlannedLevel]) -> None:
        """A run folder was made; `levels` are the planned ones."""

    def job_started(self, execution: Execution) -> None:
        """An execution starts."""

    def waiting(self, machines: list[str]) -> None:
        """The execution waits for these machines of tiers, until they are read or given up; for none any
        more."""

    def event(self, event: dict[str, Any]) -> None:
        """The agent wrote an event."""

    def job_finished(self, execution: Execution, result: Level | None) -> None:
        """An execution ended; `result` covers this execution only, None if nothing was measured."""

    def kept(self, execution: Execution, result: Level | None) -> None:
        """An execution of an earlier session counts; `result` as above."""

    def replaced(self, execution: Execution, why: Finding) -> None:
        """An execution was not measured, or was disturbed, and is repeated."""

    def looked(self, execution: Execution, look: Look) -> None:
        """What is known by now of the systems at the load of this execution, where that decides how it goes
        on."""

    def level_finished(self, result: Level) -> None:
        """The last execution of a level ended; `result` covers all its repeats."""

    def warning(self, text: str) -> None:
        """A warning for the user; each text comes once."""

    def close(self) -> None:
        """The study has ended."""


class Observers(Observer):
    """Several observers, which all get every call in the same order."""

    def __init__(self, observers: Sequence[Observer]) -> None:
        self._observers = observers


def _telling_each(name: str) -> Callable[..., None]:
    def tell(self: Observers, *told: Any) -> None:
        for observer in self._observers:
            getattr(observer, name)(*told)

    return tell


for _name in [name for name in vars(Observer) if not name.startswith("_")]:
    setattr(Observers, _name, _telling_each(_name))
