"""The jobs of agents for a job of a study: steps that run once, then each agent's share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from igen.errors import InputError
from igen.fleet.transport import Place

Job = dict[str, Any]
_LOAD = "measure"
_OF_ONE_MACHINE = "file:"
"""Schemes of targets that need exclusive access."""


def check_targets(job: Job, agents: int) -> None:
    """Raise `InputError` for a target that several load processes cannot share."""
    for number, target in enumerate(job.get("targets") or []):
        if agents > 1 and target.startswith(_OF_ONE_MACHINE):
            raise InputError(
                f"`{target}` cannot be shared by {agents} agents: each would overwrite data of the others",
                where=f"targets[{number}]",
                hint="load files and devices with one agent",
            )


def steps_of(job: Job) -> tuple[list[str], bool, list[str]]:
    """Return the steps before the load, True if there is a load, and the steps after it."""
    steps: list[str] = list(job["steps"])
    if _LOAD not in steps:
        return steps, False, []
    place = steps.index(_LOAD)
    return steps[:place], True, steps[place + 1 :]


def alone(job: Job, steps: Sequence[str], lease_s: float) -> Job:
    """Return the job of the agent that does steps for all agents."""
    # The machine is looked at while it is under load.
    return {
        **job,
        "steps": list(steps),
        "monitors": [],
        "canary_s": 0.0,
        "attended": True,
        "lease_s": lease_s,
    }


def shared(job: Job, places: Sequence[Place], lease_s: float) -> list[Job]:
    """The jobs of agents at these places, which wait for each other before they begin.

    The first agent of each machine looks at it, and counts the others there by their processes. The first of
    all times the spin canary: on one machine they would disturb each other's.
    """
    jobs = []
    for index, place in enumerate(places):
        beside = [other.process_id for other in places[index + 1 :] if other.machine == place.machine]
        is_first = all(other.machine != place.machine for other in places[:index])
        own: Job = {
            "steps": [_LOAD],
            "share": {"index": index, "of": len(places)},
            "phases": {**job["phases"], "await_begin": True},
            "attended": True,
            "lease_s": lease_s,
        }
        if index > 0:
            own["canary_s"] = 0.0
        own |= {"pids": [*job.get("pids", []), *beside]} if is_first else {"monitors": [], "pids": []}
        jobs.append({**job, **own})
    return jobs
