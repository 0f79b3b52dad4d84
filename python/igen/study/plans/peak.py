"""A search for the number of users with the highest throughput."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import msgspec

from igen.study.plans.plan import Plan

if TYPE_CHECKING:
    from igen.fleet.agent import Agent
    from igen.study.levels import PlannedLevel
    from igen.study.order import Order
    from igen.study.running import Running
    from igen.study.study import Study

SEARCHED = 20
"""Executions for which a search has time: about twelve loads, and the runs that confirm the best."""
SEARCH_TEXT = "  and as many levels as the search for the peak asks for, usually 8 to 15"


class PeakPlan(Plan, frozen=True, tag="peak"):
    """A search for the number of users with the highest throughput: it decides how often a level is
    executed."""

    goes_with: ClassVar[frozenset[str]] = frozenset({"personas"})
    further_levels: ClassVar[int | None] = None
    has_pilot: ClassVar[bool] = True
    within_s: Annotated[float, msgspec.Meta(gt=0)] | None = None
    """No execution begins that would end later than this after the first one; without it the search ends when
    the peak is confirmed."""

    def with_value(self, job: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
        """Return the job of a level; users of all personas are shared out."""
        from igen.study.proportions import TOTAL_AXIS, with_users

        return with_users(job, value) if path == TOTAL_AXIS else super().with_value(job, path, value)

    def levels(self, study: Study, agent: Agent) -> list[PlannedLevel]:
        """Return the first level."""
        from igen.study.levels import level, search_range

        axis, first, _ = search_range(study)
        return [level(study, 0, {axis: first}, agent)]

    def levels_to_try(self, study: Study, agent: Agent, users: int) -> list[PlannedLevel]:
        """Return a level within the range of the search with about so many users."""
        from igen.study.levels import level, search_range

        axis, first, largest = search_range(study)
        return [level(study, 0, {axis: min(max(first, users), largest)}, agent)]

    def order(self, running: Running) -> Order:
        """Return the search."""
        from igen.study.levels import level, search_range
        from igen.study.orders.peak import Allowance, PeakOrder

        study, planned_s = running.study, running.levels[0].duration_s
        return PeakOrder(
            *search_range(study),
            lambda number, values: running.further(lambda: level(study, number, dict(values), running.agent)),
            running.noise,
            seed=running.seed,
            allowance=None if self.within_s is None else Allowance(self.within_s, planned_s),
        )

    def executions(self, levels: int) -> int:
        """Return the number of executions for which it has time."""
        return SEARCHED

    def within(self, whole_s: float) -> Plan:
        """Return this search with a limit: the usual time of a run, or more if its executions are long."""
        from igen.study.sizing import PLANNED_S

        return PeakPlan(self.within_s or max(PLANNED_S, whole_s))

    def amount(self, levels: Sequence[PlannedLevel]) -> Iterator[str]:
        """Yield that the search decides it."""
        yield SEARCH_TEXT
