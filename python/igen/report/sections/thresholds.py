"""What was asked to hold: thresholds of a study, and that a system is not slower than its base."""

from __future__ import annotations

from dataclasses import replace

from igen.document import Section
from igen.judge.result import Result
from igen.layout.blocks import section
from igen.report.thresholds import not_slower_ratios, not_slower_table, thresholds_table

NOT_SLOWER_NOTE = (
    "slower by {margin:g} %: {factor:g} times as long for the same work; the end of the one-sided interval "
    "includes what disturbed the machine"
)


def thresholds(result: Result) -> Section | None:
    """Each threshold at each level."""
    return section("thresholds", "Thresholds", [thresholds_table(result)] if result.thresholds else [])


def not_slower(result: Result) -> Section | None:
    """The non-inferiority test at each common load."""
    margin = next((of.margin_percent for _, of in not_slower_ratios(result)), None)
    if margin is None:
        return None
    note = NOT_SLOWER_NOTE.format(margin=margin, factor=1 + margin / 100)
    return section(
        "not-slower", f"Not slower by {margin:g} %", [replace(not_slower_table(result), notes=[note])]
    )
