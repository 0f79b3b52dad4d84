"""What an order of executions yields, hears and concludes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from igen.judge.compare.decided import Look
from igen.judge.record.recording import Recording
from igen.judge.result import Finding
from igen.judge.trust.disturbance import Disturbance
from igen.study.levels import PlannedLevel

_FIRST_NUMBERS = {"choose": 1000, "confirm": 2000}
"""First number of the repeats of a purpose: beyond all repeats of a sweep or a search."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One execution of one level."""

    level: PlannedLevel
    repeat: int
    """From 0, counted for each level and purpose."""
    purpose: str
    """`sweep`, `search`, `choose`, `confirm` or `scale`."""
    order: int | None = None
    """Place in the order of all executions of the study, from 0; None until it is that one's turn."""

    @property
    def job(self) -> dict[str, Any]:
        """The level's job, with random numbers of its own: a confirmation that drew those of the run that
        the search picked would confirm its luck."""
        return self.level.job | {"repeat": _FIRST_NUMBERS.get(self.purpose, 0) + self.repeat}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """What an execution came to; nothing where it is INVALID."""

    throughput_per_s: float | None = None
    response_ms: float | None = None
    """Mean."""
    unusable: Finding | None = None
    """Why it is worth another execution: it was not measured, or others disturbed it; None if it is not."""
    disturbance: Disturbance = field(default_factory=Disturbance)
    """What others may have cost it."""
    spoils_level: bool = False
    """The level is INVALID by it, whatever further executions come to: none is worth another one."""
    recording: Recording = field(default_factory=Recording)
    """Everything that it recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """The conclusions of an order from a finished execution."""

    done: list[int] = field(default_factory=list)
    """Numbers of the levels that are finished with it."""
    replaced: Finding | None = None
    """Why a fresh execution takes its place; None if it counts."""
    look: Look | None = None
    """What is known of two systems at this load, if that decides how often it is executed."""
    incidents: list[str] = field(default_factory=list)
    """What happened to its targets, in words."""


class Order(Protocol):
    """Decides from the results so far which execution is next."""

    def executions(self) -> Iterator[Execution]:
        """Yield one execution after the other; `hear` of each before asking for the next."""

    def hear(self, execution: Execution, reached: Reached) -> Heard:
        """Take in what an execution reached."""
