"""The peak of one instance, then ever more instances."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec

from igen.study.plans.peak import SEARCH_TEXT
from igen.study.plans.plan import DEFAULT_REPEATS, Plan, Repeats, repeats_text

if TYPE_CHECKING:
    from igen.fleet.agent import Agent
    from igen.study.levels import PlannedLevel
    from igen.study.order import Order
    from igen.study.running import Running
    from igen.study.study import Study


class ScalingPlan(Plan, frozen=True, tag="scaling"):
    """The peak of the first target, then a share of it on each of 1, 2, ... targets."""

    further_levels: ClassVar[int | None] = None
    share: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.75
    """The load of each target as a share of that peak. As published: some room is left for the instances to
    disturb each other."""
    repeats: Repeats = DEFAULT_REPEATS

    def levels(self, study: Study, agent: Agent) -> list[PlannedLevel]:
        """Return the first level of the search, and the level of all targets with the least load: a target
        that the agent refuses is refused now, not after the search."""
        from igen.study.orders.scaling import horizontal_level, scaling_range, vertical_level

        targets, first, _ = scaling_range(study)
        return [
            vertical_level(study, 0, first, agent),
            horizontal_level(study, 1, instances=targets, users=targets * first, agent=agent),
        ]

    def order(self, running: Running) -> Order:
        """Return the search, followed by the sweep over the targets."""
        from igen.study.orders.scaling import ScalingOrder

        return ScalingOrder(running, self.share, self.repeats)

    def amount(self, levels: Sequence[PlannedLevel]) -> Iterator[str]:
        """Yield the search and the numbers of instances."""
        from igen.study.orders.scaling import instance_counts

        counts = ", ".join(map(str, instance_counts(len(levels[-1].job["targets"]))))
        yield SEARCH_TEXT
        share = f"{100 * self.share:g} % of the peak of one"
        yield f"  then {counts} instances, each at {share}; {repeats_text(self.repeats)}"
