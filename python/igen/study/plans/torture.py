"""One load for many hours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import msgspec

from igen.study.plans.plan import Plan
from igen.study.segment import segment_job
from igen.units import duration_text

if TYPE_CHECKING:
    from igen.fleet.agent import Agent
    from igen.study.levels import PlannedLevel
    from igen.study.order import Order
    from igen.study.running import Running
    from igen.study.study import Study


class TorturePlan(Plan, frozen=True, tag="torture"):
    """One load for many hours, cut into segments, each of them verified."""

    in_segments: ClassVar[bool] = True
    under_load_s: Annotated[float, msgspec.Meta(gt=0)]

    def job(self, job: dict[str, Any]) -> dict[str, Any]:
        """Return the job of a segment."""
        return segment_job(job, self.under_load_s)

    def levels(self, study: Study, agent: Agent) -> list[PlannedLevel]:
        """Return the one load of all segments. Raises `InputError` if there are several."""
        from igen.study.orders.torture import torture_level

        return [torture_level(study, agent)]

    def order(self, running: Running) -> Order:
        """Return the segments that are left."""
        from igen.aspects.torture.segments import segments_of
        from igen.study.orders.torture import TortureOrder

        done = segments_of(running.earlier())
        return TortureOrder(self.under_load_s, running.levels[0], running.agent, done)

    def goes_on(self, *, measured: bool, resumed: bool) -> bool:
        """Return true if it was resumed, too: it gives up targets that fail."""
        return measured or resumed

    @classmethod
    def lasting(cls, time_s: float) -> Plan | None:
        """Return a torture of that time."""
        return cls(time_s)

    def amount(self, levels: Sequence[PlannedLevel]) -> Iterator[str]:
        """Yield its time."""
        yield f"  in segments, each verified, {duration_text(self.under_load_s)} under load in all"
