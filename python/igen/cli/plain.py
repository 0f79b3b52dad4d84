"""Progress without a terminal: a line for each finished job, on standard error."""

from __future__ import annotations

from typing import Any

import click

from igen.cli.numbers import execution_text, look_text, replaced_text, waiting_text
from igen.judge.compare.decided import Look
from igen.judge.result import Finding, Level
from igen.store.run import Run
from igen.study.levels import PlannedLevel
from igen.study.observer import Observer
from igen.study.order import Execution
from igen.study.study import Study
from igen.study.time_left import TimeLeft
from igen.units import duration_text


class PlainProgress(Observer):
    """One line for each finished job."""

    def __init__(self) -> None:
        self._done = 0
        self._planned: int | None = None
        self._time_left = TimeLeft()

    def run_started(self, run: Run, study: Study, levels: list[PlannedLevel]) -> None:
        """Print the folder of the run."""
        self._planned = study.plan.known_executions(len(levels))
        self._time_left.plan(study, levels)
        self._say(f"run {run.id}")

    def job_started(self, execution: Execution) -> None:
        """Print nothing."""
        self._time_left.begin()

    def event(self, event: dict[str, Any]) -> None:
        """Follow the phases."""
        if "phase" in event:
            self._time_left.enter(event["phase"]["phase"])

    def waiting(self, machines: list[str]) -> None:
        """One line."""
        if machines:
            self._say(waiting_text(machines))

    def job_finished(self, execution: Execution, result: Level | None) -> None:
        """Print a line, with the remaining time."""
        self._done += 1
        self._time_left.end(execution.level.duration_s)
        left_s = self._time_left.left_s
        left = "" if left_s is None else f", about {duration_text(left_s)} left"
        self._say(f"[{_counted(self._done, self._planned)}] {execution_text(execution, result)}{left}")

    def kept(self, execution: Execution, result: Level | None) -> None:
        """One line, marked."""
        self._done += 1
        self._time_left.skip(execution.level.duration_s)
        self._say(f"[{_counted(self._done, self._planned)}] kept: {execution_text(execution, result)}")

    def replaced(self, execution: Execution, why: Finding) -> None:
        """One line, marked."""
        self.warning(replaced_text(execution, why))

    def looked(self, execution: Execution, look: Look) -> None:
        """One line."""
        self._say(look_text(execution, look))

    def warning(self, text: str) -> None:
        """One line, marked."""
        self._say(f"warning: {text}")

    @staticmethod
    def _say(text: str) -> None:
        click.echo(text, err=True)


def _counted(done: int, planned: int | None) -> str:
    """Return `3/12`, or `12/12 + 2` if disturbed repeats were replaced."""
    if not planned:
        return str(done)
    beyond = f" + {done - planned}" if done > planned else ""
    return f"{min(done, planned)}/{planned}{beyond}"
