"""The plans of a study, one for each mode.

In a study it is a table with its mode, `plan = { mode = "sweep", repeats = 3 }`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import msgspec

from igen.study.plan import DEFAULT_REPEATS, Plan, Repeats, repeats_text
from igen.study.segment import segment_job
from igen.units import counted, duration_text, parse_share

if TYPE_CHECKING:
    from igen.fleet.agent import Agent
    from igen.study.levels import PlannedLevel
    from igen.study.order import Order
    from igen.study.running import Running
    from igen.study.study import Study

SEARCHED = 20
"""Executions of a search: about twelve loads, and the runs that confirm the best load."""
_SEARCH = "  and the levels of the search for the peak, usually 8 to 15"


class _Repeated(Plan, frozen=True):
    """A plan whose levels are executed in turns."""

    repeats: Repeats = DEFAULT_REPEATS

    def levels(self, study: Study, agent: Agent) -> list[PlannedLevel]:
        """Return every point of the axes, on every system and in every test."""
        from igen.study.levels import expand

        return expand(study, agent)

    def order(self, running: Running) -> Order:
        """Return the order in which loads and systems take turns."""
        from igen.study.orders.sweep import SweepOrder

        study = running.study
        return SweepOrder(
            running.levels,
            self.repeats,
            seed=running.seed,
            margin=parse_share(str(study.margin)),
            against={system.name: system.against for system in study.systems},
            further=lambda: self.further(running),
        )

    def further(self, running: Running) -> PlannedLevel | None:
        """Return the level that follows the planned ones, if there is one."""
        return None

    def amount(self, levels: Sequence[PlannedLevel]) -> Iterator[str]:
        """Yield the number of repeats, of jobs, and the time."""
        jobs, known_s = self.known_executions(len(levels)), self.known_s(levels)
        known = ""
        if jobs is not None and known_s is not None:
            known = f", {counted(jobs, 'job')}, about {duration_text(known_s)} plus the time to prepare"
        yield f"  {repeats_text(self.repeats)}{known}"


class SweepPlan(_Repeated, frozen=True, tag="sweep"):
    """Every point of the axes, on every system and in every test."""

    goes_with: ClassVar[frozenset[str]] = frozenset({"personas", "systems", "tests"})
    is_product: ClassVar[bool] = True
    has_pilot: ClassVar[bool] = True


class FillPlan(_Repeated, frozen=True, tag="fill"):
    """A sweep of the users, then one more level: the load at which the fullest resource would be full."""

    further_levels: ClassVar[int | None] = 1

    def levels(self, study: Study, agent: Agent) -> list[PlannedLevel]:
        """Return the levels of the sweep."""
        from igen.study.levels import search_range

        search_range(study)
        return super().levels(study, agent)

    def further(self, running: Running) -> PlannedLevel | None:
        """Return the level at which the fullest resource would be full; None if unknown or reached."""
        from igen.study.fill import full_level

        return full_level(running)

    def amount(self, levels: Sequence[PlannedLevel]) -> Iterator[str]:
        """Yield the level that follows, then the amount of all levels."""
        yield "  and the load at which the fullest resource would be full, by its use at these levels"
        yield from super().amount(levels)


class TogetherPlan(_Repeated, frozen=True, tag="together"):
    """Each target is loaded alone, then the first 1, 2, ... of them together, each with the job's users."""

    goes_with: ClassVar[frozenset[str]] = frozenset({"systems"})

    def levels(self, study: Study, agent: Agent) -> list[PlannedLevel]:
        """Return the levels of each target, and of several."""
        from igen.study.together import together_levels

        return together_levels(study, agent)


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
        """Return the job of a level; the users of all loads are shared out."""
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
            lambda number, values: running.tried(lambda: level(study, number, dict(values), running.agent)),
            running.noise,
            seed=running.seed,
            allowance=None if self.within_s is None else Allowance(self.within_s, planned_s),
        )

    def executions(self, levels: int) -> int:
        """Return the number of executions for which it has time."""
        return SEARCHED

    def expected_s(self, levels: Sequence[PlannedLevel]) -> float:
        """Return the time for which it looks for the peak."""
        return min(super().expected_s(levels), self.within_s or math.inf)

    def within(self, whole_s: float) -> Plan:
        """Return this search with a limit: the usual time of a run, or more if its executions are long."""
        from igen.study.sizing import PLANNED_S

        return PeakPlan(self.within_s or max(PLANNED_S, whole_s))

    def amount(self, levels: Sequence[PlannedLevel]) -> Iterator[str]:
        """Yield that the search decides it."""
        yield _SEARCH


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

    def expected_s(self, levels: Sequence[PlannedLevel]) -> float:
        """Return the time of the search, and of the sweep over the targets."""
        from igen.study.orders.scaling import instance_counts

        search, together = levels
        counts = instance_counts(len(together.job["targets"]))
        repeats = self.repeats if isinstance(self.repeats, int) else self.executions(1)
        return SEARCHED * search.duration_s + len(counts) * repeats * together.duration_s

    def order(self, running: Running) -> Order:
        """Return the search, followed by the sweep over the targets."""
        from igen.study.orders.scaling import ScalingOrder

        return ScalingOrder(running, self.share, self.repeats)

    def amount(self, levels: Sequence[PlannedLevel]) -> Iterator[str]:
        """Yield the search and the numbers of instances."""
        from igen.study.orders.scaling import instance_counts

        counts = ", ".join(map(str, instance_counts(len(levels[-1].job["targets"]))))
        yield _SEARCH
        share = f"{100 * self.share:g} % of the peak of one"
        yield f"  then {counts} instances, each at {share}; {repeats_text(self.repeats)}"


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

    def expected_s(self, levels: Sequence[PlannedLevel]) -> float:
        """Return its time under load."""
        return self.under_load_s

    @classmethod
    def lasting(cls, time_s: float) -> Plan | None:
        """Return a torture of that time."""
        return cls(time_s)

    def amount(self, levels: Sequence[PlannedLevel]) -> Iterator[str]:
        """Yield its time."""
        yield f"  in segments, each verified, {duration_text(self.under_load_s)} under load in all"


AnyPlan = SweepPlan | FillPlan | PeakPlan | ScalingPlan | TogetherPlan | TorturePlan
_PLANS: tuple[type[Plan], ...] = (SweepPlan, FillPlan, PeakPlan, ScalingPlan, TogetherPlan, TorturePlan)
PLANS = {str(plan.__struct_config__.tag): plan for plan in _PLANS}
"""By mode."""


def plan_type(mode: str) -> type[Plan]:
    """Return the plan of a mode; that of a sweep if the mode is unknown."""
    return PLANS.get(mode, SweepPlan)
