"""The tables of thresholds and of the non-inferiority test of a comparison."""

from __future__ import annotations

from collections.abc import Iterator

from igen.document import Column, Table
from igen.judge.curve.load import side_name
from igen.judge.result import NotSlower, Ratio, Result, ThresholdAnswer
from igen.layout.level import LoadAxis, is_comparison
from igen.layout.number import ABSENT
from igen.layout.number import ratio as ratio_text
from igen.say import footnotes
from igen.say.threshold import amount, interval_text, worst_text
from igen.units import format_count, format_number


def thresholds_table(result: Result) -> Table:
    """Return a row for each threshold at each level; the reasons of `cannot tell` stand below."""
    rows = result.thresholds
    axis = LoadAxis.of(result)
    why = footnotes([[row.why] if row.why else [] for row in rows])
    columns = [
        Column("threshold", [row.threshold for row in rows], "text", key=True),
        Column("load" if axis.several else axis.title, [_load(row, axis) for row in rows], key=True),
        Column("figure", [ABSENT if row.value is None else amount(row, row.value.value) for row in rows]),
        Column("95 %", [interval_text(row) or ABSENT for row in rows]),
        Column("answer", [f"{_answer(row)} {why.mark(at)}".rstrip() for at, row in enumerate(rows)], "text"),
    ]
    if any(row.load for row in rows):
        columns.insert(1, Column("persona", [row.load for row in rows], "text", key=True))
    if is_comparison(result):
        columns.insert(1, Column("system", [row.system for row in rows], "text", key=True))
    return Table(columns, why.lines())


def not_slower_table(result: Result) -> Table:
    """Return a row for each ratio of which it must be shown that the system is not slower."""
    rows = [*not_slower_ratios(result)]
    axis = LoadAxis.of(result)
    return Table(
        [
            Column("system", [side_name(ratio.system, ratio.load) for ratio, _ in rows], "text", key=True),
            Column(axis.title, [axis.short(ratio) for ratio, _ in rows], key=True),
            Column("quantity", [ratio.quantity for ratio, _ in rows], "text"),
            Column("ratio", [ratio_text(ratio.shown) for ratio, _ in rows]),
            Column("one-sided 95 %", [worst_text(ratio, of) or ABSENT for ratio, of in rows]),
            Column("answer", [of.answer for _, of in rows], "text"),
        ]
    )


def not_slower_ratios(result: Result) -> Iterator[tuple[Ratio, NotSlower]]:
    """Yield the ratios that were asked if they are not slower, with the answers."""
    for ratio in result.ratios:
        if ratio.not_slower is not None:
            yield ratio, ratio.not_slower


def _answer(row: ThresholdAnswer) -> str:
    return "cannot tell, fails" if row.answer == "cannot tell" and row.fails else row.answer


def _load(row: ThresholdAnswer, axis: LoadAxis) -> str:
    if row.among:
        return row.among
    value = row.offered_per_s if axis.by_rate else row.users
    return ABSENT if value is None else format_number(value, 1) if axis.by_rate else format_count(value)
