"""What the judge says in sentences, each with its evidence."""

from __future__ import annotations

from igen.document import Items, Section
from igen.judge.result import Result
from igen.report import observation
from igen.report.sections.words import observed


def observations(result: Result) -> Section | None:
    """What the figures say."""
    found = observation.observations(result)
    return Section("observations", "Observations", [Items(observed(found))]) if found else None


def bottleneck(result: Result) -> Section | None:
    """What limits the system, where the judge could tell."""
    found = observation.bottleneck(result)
    return Section("bottleneck", "Bottleneck", [Items(observed(found))]) if found else None
