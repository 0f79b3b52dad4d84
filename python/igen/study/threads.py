"""Number of threads of a network client that leaves enough processors for its server on the same machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import ceil, inf
from typing import Any

import msgspec

from igen.loads import Load, Loads
from igen.study.levels import PlannedLevel
from igen.study.study import Study
from igen.study.targets import named_targets

PLACES = ("task", "thread")
"""Fields of a placement that assign users to threads."""


def threads_for(processors: int, client_s: float, server_s: float) -> int:
    """Return the threads for a client that takes so much processor time in the time that its server takes
    `server_s`.

    The share of the client is rounded up: one thread too many costs a few percent, because the kernel
    divides the processors anyway, but one thread too few leaves up to half of them idle.
    """
    if client_s <= 0:
        return 1
    share = client_s / (client_s + server_s)
    return min(max(ceil(round(processors * share, 6)), 1), processors)


def with_threads(study: Study, task: Mapping[str, Any]) -> Study:
    """Return the study whose users are placed so at all levels and on all sides."""
    placement = {**study.job.get("placement", {}), "task": dict(task)}
    return msgspec.structs.replace(study, job={**study.job, "placement": placement})


def targets_of(study: Study) -> list[str]:
    """Return the targets that the study itself, its systems, its tests and its axes name."""
    varied = [{"targets": targets} for targets in study.axes.get("targets", [])]
    return [target for job in [*_jobs(study), *varied] for target in named_targets(job)]


def says_where_users_run(study: Study) -> bool:
    """Return True if the study itself, a system, a test or an axis says where users run."""
    paths = tuple(f"placement.{place}" for place in PLACES)
    said = [place for job in _jobs(study) for place in job.get("placement") or {} if place in PLACES]
    return bool(said) or any(path.startswith(paths) for path in study.axes)


def _jobs(study: Study) -> list[Mapping[str, Any]]:
    return [study.job, *(each.job for each in study.systems), *(each.job for each in study.tests)]


def busiest(levels: Iterable[PlannedLevel]) -> PlannedLevel | None:
    """Return the first of the levels with the most users that share threads and never wait; None without any.

    Only such users fill the machine, and then the client takes processors from its server.
    """
    sharing = [level for level in levels if _shares_threads(level.job)]
    return max(sharing, key=lambda level: _users(level.job), default=None)


def _shares_threads(job: Mapping[str, Any]) -> bool:
    placement = job.get("placement") or {}
    return "task" in placement and _users(job) > 1 and all(map(_never_waits, Loads.of(job)))


def _users(job: Mapping[str, Any]) -> float:
    return sum(inf if load.users is None else load.users for load in Loads.of(job))


def _never_waits(load: Load) -> bool:
    return load.model == "closed" and not load.asked.get("think_time_s")
