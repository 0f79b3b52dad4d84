"""Interface of the plan of a study: all other modules call the plan and do not know its mode."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import msgspec

from igen.units import counted

if TYPE_CHECKING:
    from igen.fleet.agent import Agent
    from igen.study.levels import PlannedLevel
    from igen.study.order import Order
    from igen.study.running import Running
    from igen.study.study import Study

DEFAULT_REPEATS = 5
Repeats = Annotated[int, msgspec.Meta(ge=1, le=1000)] | Literal["auto", "decided"]
"""`auto`: until the level is known precisely enough, 3 to 10 executions; `decided`: until it is clear whether
the systems differ."""


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="mode"):
    """The levels of a study, the order of their executions, and the end of the study."""

    goes_with: ClassVar[frozenset[str]] = frozenset()
    """Parts of a study that it supports, of `personas`, `systems` and `tests`."""
    further_levels: ClassVar[int | None] = 0
    """Levels that follow the planned ones; None if the plan finds its levels."""
    is_product: ClassVar[bool] = False
    """True if its levels are exactly the points of the axes on each system in each test."""
    has_pilot: ClassVar[bool] = False
    """True if a pilot may choose the length of its measurements."""
    in_segments: ClassVar[bool] = False
    """Its executions are segments of one run of many hours, which ends by its time: no point of a series, and
    a segment that failed is part of its account."""

    @property
    def mode(self) -> str:
        """Name of the mode in a study."""
        return str(self.__struct_config__.tag)

    @property
    def repeats(self) -> Repeats | None:
        """How often each level is executed; None if the plan decides that itself."""
        return None

    @property
    def within_s(self) -> float | None:
        """Time from the first execution after which no other one ends; None if it has no limit."""
        return None

    @property
    def finds_levels(self) -> bool:
        """True if the number of its levels is unknown beforehand."""
        return self.further_levels is None

    @property
    def known_repeats(self) -> int | None:
        """How often each level is executed, if levels and number are known beforehand."""
        return self.repeats if isinstance(self.repeats, int) and not self.finds_levels else None

    def known_executions(self, levels: int) -> int | None:
        """Return the number of executions with so many planned levels, if it is known beforehand."""
        repeats = self.known_repeats
        return repeats and (levels + (self.further_levels or 0)) * repeats

    def executions(self, levels: int) -> int:
        """Return the number of executions: the most of `auto`, the usual number if answers end it."""
        from igen.judge.trust.rules.curve import MOST_RUNS

        usual = MOST_RUNS.value if self.repeats == "auto" else DEFAULT_REPEATS
        return self.known_executions(levels) or levels * usual

    def known_s(self, levels: Sequence[PlannedLevel]) -> float | None:
        """Return the time of all executions, if their number is known beforehand."""
        of_levels_s = sum(level.duration_s for level in levels)
        repeats = self.known_repeats
        return repeats and repeats * of_levels_s * (1 + (self.further_levels or 0) / len(levels))

    def expected_s(self, levels: Sequence[PlannedLevel]) -> float:
        """Return about how long all executions take; `levels` are those that are known beforehand."""
        return self.executions(len(levels)) * sum(level.duration_s for level in levels) / len(levels)

    def job(self, job: dict[str, Any]) -> dict[str, Any]:
        """Return the job of a study, completed with what this plan needs."""
        return job

    def with_value(self, job: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
        """Return the job of a level with a value of an axis."""
        from igen.ask.tables import set_path

        set_path(job, path, value)
        return job

    def levels(self, study: Study, agent: Agent) -> list[PlannedLevel]:
        """Return the levels that are known beforehand. Raises `InputError`."""
        raise NotImplementedError

    def levels_to_try(self, study: Study, agent: Agent, users: int) -> list[PlannedLevel]:
        """Return levels with a typical load, of which one is tried first; `users` are enough for one."""
        return self.levels(study, agent)

    def order(self, running: Running) -> Order:
        """Return the order of its executions."""
        raise NotImplementedError

    def goes_on(self, *, measured: bool, resumed: bool) -> bool:
        """Return true if it continues after an execution that failed, or after an early end."""
        return measured

    @classmethod
    def lasting(cls, time_s: float) -> Plan | None:
        """Return this plan with another time under load; None if it does not end by its time."""
        return None

    def within(self, whole_s: float) -> Plan:
        """Return this plan, limited to about the time that its executions are expected to take."""
        return self

    def amount(self, levels: Sequence[PlannedLevel]) -> Iterator[str]:
        """Yield lines that say how much it does, and how long it takes."""
        raise NotImplementedError


def repeats_text(repeats: Repeats) -> str:
    """Return a number of repeats in words."""
    from igen.study.orders.sweep import MOST_UNTIL_DECIDED

    match repeats:
        case "auto":
            return "3 to 10 repeats, until each level is precise enough"
        case "decided":
            return f"up to {MOST_UNTIL_DECIDED} repeats, until it is clear if the systems differ"
    return counted(repeats, "repeat")
