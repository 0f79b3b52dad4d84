"""The plan of most studies: every point of the axes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from igen.study.plans.plan import DEFAULT_REPEATS, Plan, Repeats, repeats_text
from igen.units import counted, duration_text, parse_share

if TYPE_CHECKING:
    from igen.fleet.agent import Agent
    from igen.study.levels import PlannedLevel
    from igen.study.order import Order
    from igen.study.running import Running
    from igen.study.study import Study


class SweepPlan(Plan, frozen=True, tag="sweep"):
    """Every point of the axes, on every system and in every test."""

    goes_with: ClassVar[frozenset[str]] = frozenset({"personas", "systems", "tests"})
    is_product: ClassVar[bool] = True
    has_pilot: ClassVar[bool] = True
    repeats: Repeats = DEFAULT_REPEATS

    def levels(self, study: Study, agent: Agent) -> list[PlannedLevel]:
        """Return all levels."""
        from igen.study.levels import expand

        return expand(study, agent)

    def order(self, running: Running) -> Order:
        """Return the order in which systems take turns."""
        from igen.study.orders.sweep import SweepOrder

        study = running.study
        return SweepOrder(
            running.levels,
            self.repeats,
            seed=running.seed,
            margin=parse_share(str(study.margin)),
            against={system.name: system.against for system in study.systems},
        )

    def amount(self, levels: Sequence[PlannedLevel]) -> Iterator[str]:
        """Yield the number of repeats, of jobs, and the time."""
        jobs, known_s = self.known_executions(len(levels)), self.known_s(levels)
        if jobs is None or known_s is None:
            yield f"  {repeats_text(self.repeats)}"
        else:
            time = f"about {duration_text(known_s)} and what it takes to prepare"
            yield f"  {repeats_text(self.repeats)}, {counted(jobs, 'job')}, {time}"
