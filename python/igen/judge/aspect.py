"""What one kind of system under test, or of workload, may add to the judgement.

The judge knows no workload: it is given a list of aspects and asks each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from igen.document import Section, Table
from igen.judge.intent import Intent
from igen.judge.measured import MeasuredRun
from igen.judge.recording import Recording
from igen.judge.result import Finding, Level, LevelPart, Point, Result, System, SystemPart


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelRuns:
    """The runs of one level."""

    all: Sequence[MeasuredRun]
    used: Sequence[MeasuredRun]
    """Those on which the level's figures rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemRuns:
    """A system whose levels are judged, with the runs behind them."""

    first: Recording
    levels: Sequence[Level]
    runs: Sequence[Sequence[MeasuredRun]]
    """By level: those on which its figures rest."""
    facts: Mapping[str, Any]
    transaction: str
    """What the transactions are called in sentences."""
    peak: Point | None
    intent: Intent

    @property
    def workload(self) -> str:
        """Its name; empty where the job does not say it."""
        return str(self.first.job.get("workload", ""))

    @property
    def params(self) -> dict[str, Any]:
        """What the job asked of the workload."""
        return dict(self.first.job.get("params") or {})

    @property
    def described(self) -> Mapping[str, Any]:
        """What the study says of the system, such as its watts."""
        return self.intent.described.get(self.first.system or self.first.host, {})


def _nothing(*_: object) -> None:
    return None


def _none(*_: object) -> tuple[()]:
    return ()


def _empty(_: Level) -> Mapping[str, float]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Aspect:
    """Functions of one subject; what it has nothing to say of is left out."""

    name: str
    level_part: type[LevelPart] | None = None
    system_part: type[SystemPart] | None = None
    measure: Callable[[LevelRuns], LevelPart | None] = _nothing
    """Type of the aspect's part of a level."""
    sum_up: Callable[[SystemRuns], SystemPart | None] = _nothing
    """Type of the aspect's part of a system."""
    check: Callable[[MeasuredRun], Iterable[Finding]] = _none
    """Limits of its own that one run broke."""
    check_level: Callable[[LevelRuns], Iterable[Finding]] = _none
    """Limits of its own that the runs of a level broke together, and what a reader of the level must know."""
    check_system: Callable[[SystemRuns], Iterable[Finding]] = _none
    """What a reader of the system must know."""
    observe: Callable[[System, Sequence[Level]], Iterable[Finding]] = _none
    """Observations of a system, given its usable levels."""
    observe_together: Callable[[Sequence[System]], Iterable[Finding]] = _none
    """Observations of several systems."""
    tables: tuple[tuple[str, Callable[[Result], Table]], ...] = ()
    """Titles and tables with a row for each level of which there is something to say; without columns where
    there is none."""
    tables_of_level: tuple[Callable[[Level], Table], ...] = ()
    """What stands below one level, such as each of its devices."""
    pictures: Callable[[Result], Section | None] = _nothing
    """A section of a page with its pictures."""
    fill: Callable[[Level], Mapping[str, float]] = _empty
    """The busy share of each resource that it knows of a level, 0 to 1, by its name."""
    stands_for_throughput: bool = False
    """Transactions a second are no figure where it has a part: no peak is searched, it alone speaks."""
    monitors: tuple[str, ...] = ()
    """Those whose readings it tells: the others are tabulated as they are."""


def filled(level: Level, aspects: Sequence[Aspect]) -> dict[str, float]:
    """Return the busy share of each resource of a level, as all aspects know them."""
    return {name: share for each in aspects for name, share in each.fill(level).items()}


def speaking(aspects: Sequence[Aspect], levels: Iterable[Level]) -> list[Aspect]:
    """The aspects that stand for the throughput of these levels."""
    kinds = {type(part) for level in levels for part in level.aspects}
    return [each for each in aspects if each.stands_for_throughput and each.level_part in kinds]
