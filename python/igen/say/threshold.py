"""Answers to thresholds and to the question if a system is not slower, in words."""

from __future__ import annotations

from igen.judge.curve.load import side_name
from igen.judge.result import NotSlower, Ratio, ThresholdAnswer
from igen.say.sentence import say
from igen.say.words import ratio_text
from igen.text import Text
from igen.units import format_count, format_number, format_rate, format_time_ms


def threshold_text(row: ThresholdAnswer) -> Text:
    """Return `p99 of response 24.1 ms is above 20 ms (95 % interval 22 ms to 26.5 ms)`."""
    why = [say(row.why)] if row.why else []
    if row.value is None:
        return Text.of(f"cannot tell `{row.threshold}`: ", *why)
    side = f"{'' if row.answer == 'crossed' or row.fails else 'not '}{'above' if row.above else 'below'}"
    figure = f"{row.figure} {amount(row, row.value.value)} is {side} {amount(row, row.limit)}"
    interval = f" (95 % interval {interval_text(row)})" if interval_text(row) else ""
    if row.answer != "cannot tell":
        return Text.of(figure, interval)
    return Text.of(figure, interval, "; that is not shown: ", *why)


def not_slower_text(ratio: Ratio, of: NotSlower) -> Text:
    """Return `throughput 0.871 × the throughput of A, one-sided 95 % interval from 0.851: …`."""
    margin = f"{of.margin_percent:g} %"
    answer = {
        "not slower": f"not slower by {margin}",
        "slower": f"slower by more than {margin}",
        "cannot tell": f"cannot tell if it is slower by {margin}",
    }[of.answer]
    base = f"the {ratio.quantity} of {side_name(ratio.base, ratio.load)}"
    if ratio.shown is None:
        text = f"{ratio.quantity} against {base}: {answer}"
    else:
        interval = (
            f"one-sided 95 % interval {worst_text(ratio, of)}" if of.worst is not None else "no interval"
        )
        text = f"{ratio.quantity} {ratio_text(ratio.shown)} × {base}, {interval}: {answer}"
    if of.answer == "cannot tell" and ratio.findings:
        return Text.of(f"{text} (", Text.of(*map(say, ratio.findings), between="; "), ")")
    return Text(text)


def amount(row: ThresholdAnswer, value: float) -> str:
    """Return a figure or a limit with the unit of its threshold."""
    match row.unit:
        case "ms":
            return format_time_ms(value)
        case "per s":
            return f"{format_rate(value)}/s"
        case "share":
            return f"{format_number(100 * value, 2)} %"
        case "count":
            return format_count(value)


def interval_text(row: ThresholdAnswer) -> str:
    """Return `22 ms to 26.5 ms`; nothing if there is no interval."""
    value = row.value
    if value is None or value.low is None or value.high is None or value.low == value.high:
        return ""
    return f"{amount(row, value.low)} to {amount(row, value.high)}"


def worst_text(ratio: Ratio, of: NotSlower) -> str:
    """Return the end of a one-sided interval, `from 0.851` or `up to 1.204`; nothing if there is none."""
    if of.worst is None:
        return ""
    return f"{'from' if ratio.quantity == 'throughput' else 'up to'} {of.worst:.3f}"
