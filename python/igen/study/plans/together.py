"""A sweep over the targets themselves: what each does alone, and what they do together."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from igen.study.plans.sweep import SweepPlan

if TYPE_CHECKING:
    from igen.fleet.agent import Agent
    from igen.study.levels import PlannedLevel
    from igen.study.study import Study


class TogetherPlan(SweepPlan, frozen=True, tag="together"):
    """Each target is loaded alone, then the first 1, 2, ... of them together, each with the job's users."""

    goes_with: ClassVar[frozenset[str]] = frozenset({"systems"})
    is_product: ClassVar[bool] = False
    has_pilot: ClassVar[bool] = False

    def levels(self, study: Study, agent: Agent) -> list[PlannedLevel]:
        """Return all levels."""
        from igen.study.together import together_levels

        return together_levels(study, agent)
