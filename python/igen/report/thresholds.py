"""What thresholds and the non-inferiority test of a comparison say, in tables and in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from igen.document import Column, Table
from igen.judge.curve.load import side_name
from igen.judge.result import NotSlower, Ratio, Result, ThresholdAnswer
from igen.layout.level import LoadAxis, is_comparison
from igen.layout.number import ABSENT
from igen.layout.number import ratio as ratio_text
from igen.say import footnotes, say
from igen.text import Text
from igen.units import format_count, format_number, format_rate, format_time_ms


def thresholds_table(result: Result) -> Table:
    """A row for each threshold at each level; why one cannot be told stands below."""
    rows = result.thresholds
    axis = LoadAxis.of(result)
    why = footnotes([[row.why] if row.why else [] for row in rows])
    columns = [
        Column("threshold", [row.threshold for row in rows], "text", key=True),
        Column("load" if axis.several else axis.title, [_load(row, axis) for row in rows], key=True),
        Column("figure", [_figure(row) for row in rows]),
        Column("95 %", [_interval(row) for row in rows]),
        Column("answer", [f"{_answer(row)} {why.mark(at)}".rstrip() for at, row in enumerate(rows)], "text"),
    ]
    if any(row.load for row in rows):
        columns.insert(1, Column("persona", [row.load for row in rows], "text", key=True))
    if is_comparison(result):
        columns.insert(1, Column("system", [row.system for row in rows], "text", key=True))
    return Table(columns, why.lines())


def not_slower_table(result: Result) -> Table:
    """A row for each ratio of which it must be shown that the system is not slower."""
    rows = [*not_slower_ratios(result)]
    axis = LoadAxis.of(result)
    return Table(
        [
            Column("system", [side_name(ratio.system, ratio.load) for ratio, _ in rows], "text", key=True),
            Column(axis.title, [axis.short(ratio) for ratio, _ in rows], key=True),
            Column("quantity", [ratio.quantity for ratio, _ in rows], "text"),
            Column("ratio", [ratio_text(ratio.shown) for ratio, _ in rows]),
            Column("one-sided 95 %", [_worst(ratio, of) for ratio, of in rows]),
            Column("answer", [of.answer for _, of in rows], "text"),
        ]
    )


def not_slower_ratios(result: Result) -> Iterator[tuple[Ratio, NotSlower]]:
    """The ratios that were asked whether they are not slower, with the answers."""
    for ratio in result.ratios:
        if ratio.not_slower is not None:
            yield ratio, ratio.not_slower


def threshold_sentence(row: ThresholdAnswer) -> Text:
    """`p99 of response 24.1 ms is above 20 ms (95 % interval 22 ms to 26.5 ms)`."""
    if row.value is None:
        return Text.of(f"cannot tell `{row.threshold}`: ", *_why(row))
    side = f"{'' if row.answer == 'crossed' or row.fails else 'not '}{'above' if row.above else 'below'}"
    figure = f"{row.figure} {_figure(row)} is {side} {_amount(row, row.limit)}"
    interval = "" if _interval(row) == ABSENT else f" (95 % interval {_interval(row)})"
    if row.answer != "cannot tell":
        return Text.of(figure, interval)
    return Text.of(figure, interval, "; that is not shown: ", *_why(row))


def not_slower_sentence(ratio: Ratio, of: NotSlower) -> Text:
    """`throughput 0.871 × that of before, one-sided 95 % interval from 0.851: slower by 5 % or more`."""
    margin = f"{of.margin_percent:g} %"
    said = {
        "not slower": f"not slower by {margin}",
        "slower": f"slower by more than {margin}",
        "cannot tell": f"it cannot be told whether it is slower by {margin}",
    }[of.answer]
    interval = "no interval" if of.worst is None else f"one-sided 95 % interval {_worst(ratio, of)}"
    base = f"that of {side_name(ratio.base, ratio.load)}"
    if ratio.shown is None:
        text = f"{ratio.quantity} against {base}: {said}"
    else:
        text = f"{ratio.quantity} {ratio_text(ratio.shown)} × {base}, {interval}: {said}"
    if of.answer == "cannot tell" and ratio.findings:
        return Text.of(f"{text} (", Text.of(*map(say, ratio.findings), between="; "), ")")
    return Text(text)


def _why(row: ThresholdAnswer) -> list[Text]:
    return [say(row.why)] if row.why else []


def _answer(row: ThresholdAnswer) -> str:
    return "cannot tell, fails" if row.answer == "cannot tell" and row.fails else row.answer


def _load(row: ThresholdAnswer, axis: LoadAxis) -> str:
    if row.among:
        return row.among
    value = row.offered_per_s if axis.by_rate else row.users
    return ABSENT if value is None else format_number(value, 1) if axis.by_rate else format_count(value)


def _figure(row: ThresholdAnswer) -> str:
    return ABSENT if row.value is None else _amount(row, row.value.value)


def _interval(row: ThresholdAnswer) -> str:
    if (
        row.value is None
        or row.value.low is None
        or row.value.high is None
        or row.value.low == row.value.high
    ):
        return ABSENT
    return f"{_amount(row, row.value.low)} to {_amount(row, row.value.high)}"


def _amount(row: ThresholdAnswer, value: float) -> str:
    match row.unit:
        case "ms":
            return format_time_ms(value)
        case "per s":
            return f"{format_rate(value)}/s"
        case "share":
            return f"{format_number(100 * value, 2)} %"
        case "count":
            return format_count(value)


def _worst(ratio: Ratio, of: NotSlower) -> str:
    if of.worst is None:
        return ABSENT
    return f"{'from' if ratio.quantity == 'throughput' else 'up to'} {of.worst:.3f}"
