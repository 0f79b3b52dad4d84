"""Figures of an estimate in words."""

from __future__ import annotations

from collections.abc import Sequence

from igen.datacenter.answers import LAST_YEAR
from igen.datacenter.estimated import Answer, EstateEstimate, Estimated, Ratio
from igen.datacenter.side_by_side import PlanColumn
from igen.document import Column, Table
from igen.units import format_count, format_number

COUNTED = ("systems", "racks", "systems_last_year", "racks_last_year")
GUESS, OUTSIDE = "*", "†"
MARKS = f"{GUESS}: rests on a guess; {OUTSIDE}: outside the measured range. Ranges hold 95 % of the draws."


def figure(answer: Answer, value: float | None) -> str:
    """A value as its answer is read."""
    if value is None:
        return "–"
    if answer.key == "full_in_years":
        return f"{value:.0f} or more" if value >= LAST_YEAR else f"{value:.0f}"
    if answer.key in COUNTED or abs(value) >= 1000:
        return format_count(value)
    return format_number(value, 3)


def marked(answer: Answer) -> str:
    """The value with its marks."""
    marks = f"{GUESS if answer.guesses else ''}{OUTSIDE if answer.outside else ''}"
    return f"{figure(answer, answer.value)}{marks}"


def interval(answer: Answer) -> str:
    """`5 to 6`; nothing where the value is exact."""
    if answer.low is None or answer.high is None:
        return ""
    low, high = figure(answer, answer.low), figure(answer, answer.high)
    return "" if low == high else f"{low} to {high}"


def ratio_text(ratio: Ratio | None) -> str:
    """`0.577 (0.507 to 0.704)`, or `~` where nothing tells both apart."""
    if ratio is None:
        return ""
    if not ratio.told:
        return "~"
    low, high = f"{ratio.low:.3g}", f"{ratio.high:.3g}"
    return f"{ratio.value:.3g}" if low == high else f"{ratio.value:.3g} ({low} to {high})"


def sentence(estate: EstateEstimate, estimated: Estimated) -> str:
    """`consolidate: 5 systems in 2 racks, 8.52 kW at the peak hour, 622,726 USD in 4 years (…).`"""
    answers = {answer.key: answer for answer in estate.answers}
    parts = [f"{_of(answers['systems'])} systems in {_of(answers['racks'])} racks"]
    if answers["kw"].value is not None:
        parts.append(f"{_of(answers['kw'])} kW at the peak hour")
    cost = answers["cost"]
    if cost.value is not None:
        parts.append(f"{_of(cost)} {cost.title.removeprefix('all, ')}")
    text = f"{estate.name}: {', '.join(parts)}"
    base = estimated.estates[0].name
    ratio = next(
        (r for r in estimated.ratios if (r.key, r.of, r.base) == (answers["cost"].key, estate.name, base)),
        None,
    )
    if ratio is not None:
        text += f"; {_cost_words(ratio)}"
    if estate.fits and estate.short_in_year is not None:
        return f"{text}. From year {estate.short_in_year} on that is NOT ENOUGH."
    return f"{text}." if estate.fits else f"{text}. That is NOT ENOUGH, or does not fit."


def _cost_words(ratio: Ratio) -> str:
    if not ratio.told:
        return f"whether it costs more or less than {ratio.base} cannot be told"
    return f"{ratio_text(ratio)} times the cost of {ratio.base}"


def _of(answer: Answer) -> str:
    between = interval(answer)
    return f"{marked(answer)} ({between})" if between else marked(answer)


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
