"""A trial of each system before the first measurement, to find a failing program or server at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from igen.errors import Interrupted
from igen.fleet.agent import Agent, agent_error
from igen.fleet.interrupts import Interrupts
from igen.fleet.local import run_job
from igen.study.levels import PlannedLevel

Hear = Callable[[dict[str, Any]], None]
"""Is given each event of the trial."""


def try_each(levels: Sequence[PlannedLevel], hear: Hear) -> None:
    """Verify the levels in turn, if their workload creates nothing that must be there first.

    Raises `Interrupted`, and `IgenError` for a level that fails.
    """
    creates = {each["name"]: each["prepares"] for each in Agent().list("workloads")}
    for level in levels:
        if not creates[level.job["workload"]]:
            _verify(level, hear)


def _verify(level: PlannedLevel, hear: Hear) -> None:
    watched: dict[str, Any] = {"monitors": [], "tiers": []}
    job = {**level.job, **watched, "steps": ["verify"], "canary_s": 0.0}
    with Interrupts() as interrupts:
        exit = run_job(Agent().path, job, _Listener(hear), interrupts)
    if exit.interrupted:
        raise Interrupted("interrupted before anything was measured")
    if exit.error is not None:
        raise agent_error(exit.error, exit.exit_code, where=level.label)


class _Listener:
    """A listener that passes all events on and records nothing."""

    def __init__(self, hear: Hear) -> None:
        self._hear = hear

    def line(self, line: bytes) -> None:
        """Record nothing."""

    def event(self, event: dict[str, Any]) -> None:
        """Pass the event on."""
        self._hear(event)
