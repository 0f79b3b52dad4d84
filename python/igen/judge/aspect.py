"""What one kind of system under test, or of workload, may add to the judgement.

The judge knows no workload: it is given a list of aspects and asks each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from igen.document import Column, Section, Table
from igen.judge.intent import Intent
from igen.judge.record.recording import Recording
from igen.judge.result import Finding, Level, LevelPart, Point, Result, System, SystemPart
from igen.judge.run.measured import MeasuredRun


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


Place = Literal["references", "pictures", "statistics"]
"""The place of a section in a report: after the observations, after the curves, or with the environment (on a
terminal at the end, if the user asks for statistics)."""
TableName = Literal["counts", "resources"]
"""A table of levels that takes columns of aspects: the counts of the results, or the resources."""


@dataclass(frozen=True, slots=True)
class Views:
    """A section for a page and for a terminal; None if one of them does not have it."""

    page: Callable[[Result], Section | None] | None
    terminal: Callable[[Result], Section | None] | None = None


def _nothing(*_: object) -> None:
    return None


def _none(*_: object) -> tuple[()]:
    return ()


def _no_answers(_: System) -> Mapping[str, Any]:
    return {}


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
    columns: Mapping[TableName, Callable[[Sequence[Level]], list[Column]]] = field(default_factory=dict)
    """Columns of the tables that all workloads share; a cell for each level."""
    figures: Callable[[Level], Mapping[str, float]] = _empty
    """Figures by title, for pictures of systems that differ in two settings."""
    sections: Mapping[Place, Views] = field(default_factory=dict)
    """Sections of a report."""
    answers: Callable[[System], Mapping[str, Any]] = _no_answers
    """Answers (`igen.ask`) that take the place of `repeats` when a user repeats the system's run."""
    fill: Callable[[Level], Mapping[str, float]] = _empty
    """The busy share of each resource that it knows of a level, 0 to 1, by its name."""
    headline: Callable[[System], Finding] | None = None
    """The result of a system, instead of its throughput: if a level has a part of this aspect, no peak is
    searched, and observations of others are left out. A report on many systems has those of
    `observe_together` at its top."""
    monitors: tuple[str, ...] = ()
    """Those whose readings it tells: the others are tabulated as they are."""


def filled(level: Level, aspects: Sequence[Aspect]) -> dict[str, float]:
    """Return the busy share of each resource of a level, as all aspects know them."""
    return {name: share for each in aspects for name, share in each.fill(level).items()}


def speaking(aspects: Sequence[Aspect], levels: Iterable[Level]) -> list[Aspect]:
    """Return the aspects that stand for the throughput of these levels."""
    kinds = {type(part) for level in levels for part in level.aspects}
    return [each for each in aspects if each.headline is not None and each.level_part in kinds]


def headline_of(aspects: Sequence[Aspect], system: System) -> Finding | None:
    """Return the result of a system that an aspect knows instead of a throughput."""
    found = speaking(aspects, system.levels)
    return next((each.headline(system) for each in found if each.headline), None)
