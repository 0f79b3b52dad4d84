"""Phrases that several sentences share."""

from __future__ import annotations

from dataclasses import replace

from igen.judge.figure.figure import FAMILY_ERROR
from igen.judge.result import Figure, Part
from igen.judge.trust.disturbance import Bound
from igen.judge.trust.finding import Finding, figure
from igen.say.group import Group
from igen.units import counted, format_half_width, format_number, format_rate, format_time_ms, ratio_decimals

LEAST_PERCENT = 0.05
"""A smaller systematic error is not shown."""


def because(group: Group, *rules: str) -> str:
    """Return the sentences of what explains a finding, of these rules or of all."""
    from igen.say.sentence import sentence

    return "; ".join(sentence(found) for found in group.because if not rules or found[0].rule in rules)


def between_times(group: Group) -> tuple[str, str]:
    """Return between which figures mean and p99 lie if transactions started late: `0.2 ms and 1.4 ms`."""
    mean, p99 = (
        f"{group.number(f'least_{name}_ms', format_time_ms)} and {group.number(f'{name}_ms', format_time_ms)}"
        for name in ("mean", "p99")
    )
    return mean, p99


def phrase(found: Finding) -> str:
    """Return the sentence of one finding, as a part of another."""
    from igen.say.sentence import sentence

    return sentence([found])


def rate(part: Part) -> str:
    """Return a throughput with its unit: `20,666 tx/s`."""
    unit = "tx" if part.text == "transactions" else part.text
    return f"{format_rate(part.figure or 0.0)} {unit}/s"


def rate_with_interval(part: Part, runs: int) -> str:
    """Return `20,666 tx/s (95 % interval 20,104 to 21,243)`."""
    if part.span is None or part.span[1] is None:
        return f"{rate(part)} ({number_of_runs(runs)}: no interval)"
    interval = f"{format_rate(part.span[0])} to {format_rate(part.span[1])}"
    return f"{rate(part)} (95 % interval {interval})"


def figure_of(part: Part) -> Figure:
    """Return the figure that a part was made of, with its interval and the level of the interval."""
    low, high = part.span or (None, None)
    ratio = Figure(value=part.figure or 0.0, low=low, high=high)
    return ratio if part.level is None else replace(ratio, level=part.level)


def factor_with_interval(part: Part) -> str:
    """Return a ratio: `1.290 × (1.212 to 1.371)`, or with the level of an interval that is not the usual."""
    ratio = figure_of(part)
    if part.level is None or ratio.low is None:
        return ratio_with_interval(ratio)
    return f"{ratio_text(ratio)} × ({level_text(part.level)} interval {ratio_interval(ratio)})"


def level_text(level: float) -> str:
    """Return the share of intervals that hold the true value: `95 %`, `99.75 %`."""
    return f"{100 - float(f'{100 * (1 - level):.2g}'):.6g} %"


def half_width(part: Part, runs: int) -> str:
    """Return how far the interval reaches from the figure: `±1.2 %`, or `1 run, no interval`."""
    if not part.figure or part.span is None or part.span[1] is None:
        return f"{counted(runs, 'run')}, no interval"
    return format_half_width(part.figure, part.span[0], part.span[1])


def estimate_text(estimate: Figure) -> str:
    """Return `9,714`: four significant digits, as many as a benchmark on a quiet machine repeats."""
    return format_number(estimate.value, 4)


def doubt_text(estimate: Figure, disturbed: Bound) -> str:
    """Return `±1.2 %, machine 0 to +9.1 %`: the interval, or why there is none, and the systematic error."""
    known, machine = half_width(figure("", estimate), estimate.n), bound_text(disturbed)
    return f"{known}, machine {machine}" if machine else known


def number_of_runs(number: int) -> str:
    """Return `one run` or `5 runs`."""
    return "one run" if number == 1 else counted(number, "run")


def joined(names: list[str]) -> str:
    """Return `a`, `a and b` or `a, b and c`."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def ratio_with_interval(ratio: Figure) -> str:
    """Return `1.290 × (1.212 to 1.371)`."""
    interval = ratio_interval(ratio)
    return f"{ratio_text(ratio)} × ({interval})" if interval else f"{ratio_text(ratio)} ×"


def ratio_text(ratio: Figure) -> str:
    """Return `1.007`; three decimals, because 1.002 is a difference and 1.00 is not."""
    return f"{ratio.value:,.{ratio_decimals(ratio.value)}f}"


def ratio_interval(ratio: Figure) -> str:
    """Return `0.986 to 1.028`, with as many decimals as the ratio; nothing if there is no interval."""
    if ratio.low is None or ratio.high is None:
        return ""
    decimals = ratio_decimals(ratio.value)
    return f"{ratio.low:,.{decimals}f} to {ratio.high:,.{decimals}f}"


def could_have_seen(visible_percent: float | None) -> str:
    """Return how large a difference would have had to be, if none can be claimed."""
    if visible_percent is None:
        return "no difference could have been seen"
    return f"a difference of {format_number(visible_percent, 2)} % would have been seen in 4 of 5 studies"


def shared_error(questions: int) -> str:
    """Return among how many questions the error of a report is shared out."""
    return f"{100 * FAMILY_ERROR:.2g} % of error shared by {counted(questions, 'question')}"


def bound_text(bound: Bound) -> str:
    """Return a systematic error: `-0.42 to +9.0 %`, `0 to +9.0 %`; nothing if it is too small to show."""
    low, high = (
        format_number(abs(end), 2) if abs(end) >= LEAST_PERCENT else ""
        for end in (bound.low_percent, bound.high_percent)
    )
    if not (low or high):
        return ""
    return f"{f'-{low}' if low else '0'} to {f'+{high}' if high else '0'} %"


def efficiency_percent(part: Part) -> str:
    """Return an efficiency with its interval: `93 % (91 to 95 %)`."""
    text = f"{100 * (part.figure or 0):.0f} %"
    if part.span is None or part.span[1] is None:
        return text
    return f"{text} ({100 * part.span[0]:.0f} to {100 * part.span[1]:.0f} %)"
