"""Orders of executions: their input, output and conclusions."""

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
    """Place in the order of all executions of the study, from 0; None until its turn."""

    @property
    def job(self) -> dict[str, Any]:
        """The level's job, with random numbers of its own: a confirmation that drew those of the run that
        the search picked would confirm its luck."""
        return self.level.job | {"repeat": _FIRST_NUMBERS.get(self.purpose, 0) + self.repeat}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """Result of an execution; empty if it is INVALID."""

    throughput_per_s: float | None = None
    response_ms: float | None = None
    """Mean."""
    unusable: Finding | None = None
    """Why it deserves a repeat: it was not measured, or was disturbed; None if it does not."""
    disturbance: Disturbance = field(default_factory=Disturbance)
    """Possible effect of a disturbance."""
    spoils_level: bool = False
    """True if it makes the level INVALID, whatever further executions measure."""
    recording: Recording = field(default_factory=Recording)
    """Its recording."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """The conclusions of an order from a finished execution."""

    done: list[int] = field(default_factory=list)
    """Numbers of the levels that it completes."""
    replaced: Finding | None = None
    """Why it is repeated; None if it counts."""
    look: Look | None = None
    """State of the comparison at this load, if it decides the number of repeats."""
    incidents: list[str] = field(default_factory=list)
    """Message about its targets."""


class Order(Protocol):
    """Decides the next execution from the results so far."""

    def executions(self) -> Iterator[Execution]:
        """Yield the executions; call `hear` for each before asking for the next."""

    def hear(self, execution: Execution, reached: Reached) -> Heard:
        """Take in the result of an execution."""
