"""Cells and tables with the figures of an estimate."""

from __future__ import annotations

from collections.abc import Sequence

from igen.datacenter.answers import LAST_YEAR
from igen.datacenter.estimated import Answer, Ratio
from igen.datacenter.side_by_side import PlanColumn
from igen.document import Column, Table
from igen.say.estate import GUESS, OUTSIDE, amount, ratio_with_range

MARKS = f"{GUESS}: rests on a guess; {OUTSIDE}: outside the measured range. Ranges hold 95 % of the draws."


def figure(answer: Answer, value: float | None) -> str:
    """Return a value as its answer is read."""
    if value is None:
        return "–"
    if answer.key == "full_in_years":
        return f"{value:.0f} or more" if value >= LAST_YEAR else f"{value:.0f}"
    return amount(answer.key, value)


def marked(answer: Answer) -> str:
    """Return the value with its marks."""
    marks = f"{GUESS if answer.guesses else ''}{OUTSIDE if answer.outside else ''}"
    return f"{figure(answer, answer.value)}{marks}"


def interval(answer: Answer) -> str:
    """Return `5 to 6`; nothing if the value is exact."""
    if answer.low is None or answer.high is None:
        return ""
    low, high = figure(answer, answer.low), figure(answer, answer.high)
    return "" if low == high else f"{low} to {high}"


def ratio_text(ratio: Ratio | None) -> str:
    """Return `0.577 (0.507 to 0.704)`, or `~` if the draws do not tell both apart."""
    if ratio is None:
        return ""
    return ratio_with_range(ratio.value, ratio.low, ratio.high) if ratio.told else "~"


def side_by_side_table(columns: Sequence[PlanColumn]) -> Table:
    """Figures below each other, a group for each option."""
    titles: dict[str, str] = {}
    for column in columns:
        titles.update({answer.key: answer.title for answer in column.answers if answer.value is not None})
    shown = [Column("figure", [*titles.values()], "text", key=True)]
    for place, column in enumerate(columns):
        answers = {answer.key: answer for answer in column.answers}
        found = {ratio.key: ratio for ratio in column.ratios}
        known = [answers.get(key) for key in titles]
        shown.append(Column("likely", ["" if of is None else marked(of) for of in known], group=column.name))
        shown.append(Column("range", ["" if of is None else interval(of) for of in known], group=column.name))
        if place:
            ratios = [ratio_text(found.get(key)) for key in titles]
            shown.append(Column("/ first", ratios, group=column.name))
    return Table(shown, [MARKS, "~: the draws do not tell both apart."])
