"""A sweep, then one more level at the load that its own utilisation names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from igen.study.plans.sweep import SweepPlan

if TYPE_CHECKING:
    from igen.fleet.agent import Agent
    from igen.study.levels import PlannedLevel
    from igen.study.order import Order
    from igen.study.running import Running
    from igen.study.study import Study


class FillPlan(SweepPlan, frozen=True, tag="fill"):
    """A sweep of the users, then one more level: the load at which the fullest resource would be full."""

    goes_with: ClassVar[frozenset[str]] = frozenset()
    further_levels: ClassVar[int | None] = 1
    is_product: ClassVar[bool] = False
    has_pilot: ClassVar[bool] = False

    def levels(self, study: Study, agent: Agent) -> list[PlannedLevel]:
        """Return the levels of the sweep."""
        from igen.study.levels import search_range

        search_range(study)
        return super().levels(study, agent)

    def order(self, running: Running) -> Order:
        """Return the order of the sweep and of the level that follows from it."""
        from igen.study.orders.fill import FillOrder, full_level

        return FillOrder(running.levels, self.repeats, lambda: full_level(running), seed=running.seed)

    def amount(self, levels: Sequence[PlannedLevel]) -> Iterator[str]:
        """Yield the level that follows, then the amount of all levels."""
        yield "  and the load at which the fullest resource would be full, by its use at these levels"
        yield from super().amount(levels)
