"""The scaling study: the peak of one instance, then a share of it on each of 1, 2, ... instances.

As published for MySQL on a many-core server: first vertically, one instance under ever more load, then
horizontally, ever more instances with the same load each. The instances are the targets of the job.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from igen.ask.tables import set_path
from igen.errors import IgenError, InputError
from igen.fleet.agent import Agent
from igen.study.levels import PACED_AXIS, PlannedLevel, checked_level, search_range
from igen.study.order import Execution, Heard, Reached
from igen.study.orders.peak import PeakOrder
from igen.study.orders.sweep import SweepOrder
from igen.study.plan import Repeats
from igen.study.running import Running
from igen.study.serving import with_tiers_of
from igen.study.study import Study
from igen.study.targets import expand_targets

ALL_INSTANCES = 8
"""Up to so many targets each number of them is measured; of more the powers of two and all."""


class ScalingOrder:
    """Searches the peak of the first target, then loads the targets: an order of executions."""

    def __init__(self, running: Running, share: float, repeats: Repeats) -> None:
        """Each of the targets gets that `share` of the peak, and each number of them these `repeats`."""
        self._running = running
        self._share = share
        self._repeats = repeats
        _, first, largest = scaling_range(running.study)
        self._vertical = PeakOrder(
            PACED_AXIS, first, largest, self._vertical_level, running.noise, seed=running.seed
        )
        self._horizontal: SweepOrder | None = None

    def executions(self) -> Iterator[Execution]:
        """One execution after the other. Raises `IgenError` where the search confirms no peak."""
        yield from self._vertical.executions()
        peak_per_s = self._peak_per_s()
        if peak_per_s is None:
            raise IgenError(
                "no peak of one instance was confirmed, so there is no load to scale",
                hint="the report shows why its levels are not valid; end the axis below them",
            )
        levels = self._levels(peak_per_s)
        self._horizontal = SweepOrder(levels, self._repeats, seed=self._running.seed)
        yield from self._horizontal.executions()

    def hear(self, execution: Execution, reached: Reached) -> Heard:
        """Take in what an execution reached."""
        return (self._horizontal or self._vertical).hear(execution, reached)

    def _vertical_level(self, number: int, values: dict[str, int]) -> PlannedLevel | None:
        (users,) = values.values()
        running = self._running
        return running.tried(lambda: vertical_level(running.study, number, users, running.agent))

    def _peak_per_s(self) -> float | None:
        """Return the confirmed peak of one instance."""
        peaks = [each.peak.throughput_per_s.value for each in self._running.judged() if each.peak]
        return max(peaks, default=None)

    def _levels(self, peak_per_s: float) -> list[PlannedLevel]:
        study, agent = self._running.study, self._running.agent
        targets, first, _ = scaling_range(study)
        load = vertical_level(study, 0, first, agent).job["load"]["paced"]
        users = base_users(self._share, peak_per_s, load["rate_per_user_per_s"])
        return [
            horizontal_level(
                study,
                self._vertical.levels + place,
                instances=instances,
                users=instances * users,
                agent=agent,
            )
            for place, instances in enumerate(instance_counts(targets))
        ]


def scaling_range(study: Study) -> tuple[int, int, int]:
    """Number of targets, first and largest number of users of one. Raises `InputError` where it is none."""
    axis, first, largest = search_range(study, PACED_AXIS)
    if axis != PACED_AXIS:
        raise InputError(
            "a scaling study needs a paced load: its instances get a share of the peak",
            where=axis,
            hint=f'use the axis "{PACED_AXIS}" and `load.paced.rate_per_user_per_s`',
        )
    targets = len(_targets(study))
    if targets < 2:
        raise InputError(
            "a scaling study needs at least two targets",
            where="targets",
            hint='such as "sqlite:///s{1..4}.db"',
        )
    return targets, first, largest


def instance_counts(targets: int) -> list[int]:
    """1 to all of them; of more than 8 the powers of two and all."""
    if targets <= ALL_INSTANCES:
        return list(range(1, targets + 1))
    return [*(1 << power for power in range((targets - 1).bit_length())), targets]


def base_users(share: float, peak_per_s: float, rate_per_user_per_s: float) -> int:
    """Users of each instance: the share of the peak at the pace of one user, at least one."""
    return max(round(share * peak_per_s / rate_per_user_per_s), 1)


def vertical_level(study: Study, number: int, users: int, agent: Agent) -> PlannedLevel:
    """The first target alone."""
    return _level(study, number, 1, users, {PACED_AXIS: users}, agent)


def horizontal_level(study: Study, number: int, *, instances: int, users: int, agent: Agent) -> PlannedLevel:
    """The first `instances` targets under the load of `users` in all."""
    values = {"instances": instances, PACED_AXIS: users}
    return replace(_level(study, number, instances, users, values, agent), purpose="scale")


def _level(
    study: Study, number: int, instances: int, users: int, values: dict[str, Any], agent: Agent
) -> PlannedLevel:
    job = copy.deepcopy(study.job)
    job["targets"] = _targets(study)[:instances]
    set_path(job, PACED_AXIS, users)
    return checked_level(with_tiers_of(study.servers, job), number, values, agent)


def _targets(study: Study) -> list[str]:
    return list(expand_targets(study.job.get("targets") or []))
