"""A single step of a workload, such as loading its database, without a measurement or a recording."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from igen.errors import IgenError, Interrupted
from igen.fleet.agent import Agent, agent_error
from igen.fleet.interrupts import Interrupts
from igen.fleet.local import run_job
from igen.study.targets import expand_targets
from igen.workbench.bulk_load import bulk_load

Job = dict[str, Any]
Facts = dict[str, Any]
Say = Callable[[str], None]
Hear = Callable[[dict[str, Any]], None]
"""Is given each event."""


def step_job(
    step: str,
    *,
    workload: str,
    targets: Sequence[str],
    params: dict[str, Any],
    force: bool = False,
    i_own_this_data: bool = False,
) -> Job:
    """The job of a step (`prepare`, `verify` or `cleanup`), which the agent has checked.

    Nothing is connected to. Raises `InputError` with the field's path.
    """
    all_targets = expand_targets(list(targets))
    job = {
        "workload": workload,
        "targets": all_targets,
        "params": params,
        # Nobody loads anything, but each target has its user.
        "load": {"closed": {"users": max(len(all_targets), 1)}},
        "steps": [step],
        "force": force,
        "i_own_this_data": i_own_this_data,
        "monitors": [],
    }
    return Agent().check(job)


def do_step(job: Job, *, say: Say, hear: Hear) -> tuple[Facts, IgenError | None]:
    """Run the job of a step in the agent; return its facts and its error. Raises `Interrupted`."""
    bulk_load(job, say)
    listener = _Listener(hear)
    with Interrupts() as interrupts:
        exit = run_job(Agent().path, job, listener, interrupts)
    if exit.interrupted:
        raise Interrupted("interrupted")
    return listener.facts, None if exit.error is None else agent_error(exit.error, exit.exit_code)


class _Listener:
    """A listener that keeps facts and records nothing."""

    def __init__(self, hear: Hear) -> None:
        self._hear = hear
        self.facts: Facts = {}

    def line(self, line: bytes) -> None:
        """Record nothing."""

    def event(self, event: dict[str, Any]) -> None:
        """Keep facts, and pass all events on."""
        if "fact" in event:
            self.facts[event["fact"]["name"]] = event["fact"]["value"]
        self._hear(event)
