"""A rule that fired, as data: everything that does not depend on the figures follows from its rule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from igen.judge.figure.figure import Figure
from igen.judge.trust.rules import GRAVITY, RULES, Rule, Verdict
from igen.judge.trust.rules.statistics import CONFIDENCE

Scope = Literal["run", "level", "system", "comparison", "study"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A figure or a name that belongs to a finding; the unit is the end of its name."""

    name: str
    figure: float | None = None
    text: str = ""
    """A name, or words of somebody else, such as a server's error."""
    span: tuple[float, float | None] | None = None
    """The interval of the figure, or a time since the start of MEASURE, which has no end if it lasts until
    the end of MEASURE."""
    level: float | None = None
    """Share of such intervals that hold the true figure; None if it is the usual 0.95."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """In how many runs of a level a rule fired."""

    number: int
    of: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A rule that fired."""

    rule: str
    """Id of a row of `RULES`."""
    scope: Scope = "run"
    quantity: Literal["", "throughput", "times"] = ""
    """The quantity that it is about; empty if it is about both."""
    load: str = ""
    """The one of several loads that it is about; empty for the whole load."""
    parts: tuple[Part, ...] = ()
    limit: float | None = None
    """The limit that was crossed, in `unit`."""
    unit: str = ""
    runs: Runs | None = None
    """None for a finding about one run."""
    because: tuple[Finding, ...] = ()
    """Findings that explain it, the most important first."""

    @property
    def row(self) -> Rule:
        """The row of its rule."""
        return RULES[self.rule]

    def part(self, name: str) -> Part:
        """Return the first part of that name. Raises `KeyError`."""
        for part in self.parts:
            if part.name == name:
                return part
        raise KeyError(name)

    def figure(self, name: str) -> float:
        """Return the figure of that name. Raises `KeyError`."""
        for part in self.parts:
            if part.name == name and part.figure is not None:
                return part.figure
        raise KeyError(name)


def finding(
    rule: str,
    *parts: Part,
    quantity: Literal["", "throughput", "times"] = "",
    scope: Scope = "run",
    limit: float | None = None,
    unit: str = "",
    because: Iterable[Finding] = (),
    **named: float | str,
) -> Finding:
    """Return a finding; each named value becomes a part of that name."""
    return Finding(
        rule=rule,
        scope=scope,
        quantity=quantity,
        parts=(*parts_of(named), *parts),
        limit=limit,
        unit=unit,
        because=tuple(because),
    )


def figure(name: str, estimate: Figure, text: str = "") -> Part:
    """Return a figure with its interval as a part; `text` is the name of what it counts."""
    span = None if estimate.low is None else (estimate.low, estimate.high)
    level = None if span is None or estimate.level == CONFIDENCE.value else estimate.level
    return Part(name=name, figure=estimate.value, span=span, text=text, level=level)


def parts_of(named: Mapping[str, float | str]) -> list[Part]:
    """Return a part of each name, with its figure or its text."""
    return [
        Part(name=name, text=value) if isinstance(value, str) else Part(name=name, figure=float(value))
        for name, value in named.items()
    ]


def gravity(found: Finding) -> int:
    """Return a key that sorts the gravest findings first."""
    return -GRAVITY.index(found.row.grade)


def gravest(found: Iterable[Finding]) -> Verdict:
    """Return the verdict of these findings: the gravest grade of all."""
    return max((each.row.grade for each in found), key=GRAVITY.index, default="VALID")


def reasons(found: Iterable[Finding]) -> list[Finding]:
    """Return the findings that make a verdict worse than VALID."""
    return [each for each in found if each.row.grade != "VALID"]


def notes(found: Iterable[Finding]) -> list[Finding]:
    """Return the findings that a reader should know and that change no verdict."""
    return [each for each in found if each.row.grade == "VALID"]


def folded(runs: Sequence[Sequence[Finding]]) -> list[Finding]:
    """Return one finding for each rule, with the figures of the first run that has it, the gravest first.

    `runs` are the findings of each run of a level. A run may break a rule in several ways, which explain one
    finding.
    """
    by_rule: dict[tuple[str, str, str], list[list[Finding]]] = {}
    for found in runs:
        of_run: dict[tuple[str, str, str], list[Finding]] = {}
        for each in found:
            of_run.setdefault((each.rule, each.load, each.quantity), []).append(each)
        for key, alike in of_run.items():
            by_rule.setdefault(key, []).append(alike)
    level = [
        replace(
            first[0],
            scope="level",
            because=tuple(reason for each in first for reason in each.because),
            runs=Runs(number=1 + len(others), of=len(runs)) if len(runs) > 1 else None,
        )
        for first, *others in by_rule.values()
    ]
    return sorted(level, key=gravity)
