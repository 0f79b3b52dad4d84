"""What a build pipeline wants to know of a result: each thing that was to hold, and whether it did."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from igen.judge.result import Result
from igen.layout.level import LoadAxis
from igen.report.thresholds import not_slower_ratios
from igen.say import say
from igen.say.threshold import not_slower_text, threshold_text
from igen.text import Text
from igen.units import counted

Outcome = Literal["passed", "failed", "undecided"]
"""`undecided`: it cannot be told, and fails nothing."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was to hold."""

    group: str
    """The system."""
    name: str
    outcome: Outcome
    text: str | Text = ""
    """With the figures."""


def threshold_checks(result: Result) -> Iterator[Check]:
    """A check for each threshold at each level."""
    axis = LoadAxis.of(result)
    for row in result.thresholds:
        load = f"{row.offered_per_s:g}/s" if axis.by_rate and row.offered_per_s else _users(row.users)
        at = "" if " at " in row.threshold or not load else f" at {load}"
        if row.among:
            of = f" for {row.load}" if row.load and row.figure not in row.threshold else ""
            at = f"{of} with {row.among}"
        outcome: Outcome = "failed" if row.fails else "undecided" if row.answer == "cannot tell" else "passed"
        yield Check(row.system, f"{row.threshold}{at}", outcome, threshold_text(row))


def not_slower_checks(result: Result) -> Iterator[Check]:
    """A check for each load at which a system must be shown not to be slower; what cannot be told fails, as
    does a system that has no load in common with the base."""
    axis = LoadAxis.of(result)
    asked = [*not_slower_ratios(result)]
    for ratio, of in asked:
        outcome: Outcome = "passed" if of.answer == "not slower" else "failed"
        of_load = f" for {ratio.load}" if ratio.load else ""
        name = f"not slower by {of.margin_percent:g} %{of_load} at {axis.name(ratio)}"
        yield Check(ratio.system, name, outcome, not_slower_text(ratio, of))
    told = {name for ratio, _ in asked for name in (ratio.system, ratio.base)}
    for system in result.systems:
        if system.name not in told:
            why = [*map(say, result.findings)] or [Text("nothing of it was compared")]
            text = Text.of("it cannot be told: ", Text.of(*why, between="; "))
            yield Check(system.name, "not slower", "failed", text)


def load_checks(failures: Iterable[tuple[str, Text]]) -> Iterator[Check]:
    """A check that failed for each failure of the load: its place, and the reason."""
    for place, reason in failures:
        yield Check(place, "the load is carried out", "failed", reason)


def _users(users: int | None) -> str:
    return "" if users is None else counted(users, "user")
