"""Numbers as a reader sees them: thousands separated, no more digits than a measurement can carry."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from igen.judge.result import Figure
from igen.say import words
from igen.say.words import level_text, ratio_text
from igen.units import decimals_for, format_bytes, format_half_width, format_number, format_time_ms

FINEST_MS = 0.01
"""Shorter times have fewer than two digits as milliseconds with three decimals."""
ABSENT = "–"
"""Stands for a value that cannot be told."""


def significant(value: float | None, digits: int = 3) -> str:
    """`value` to `digits` significant digits; digits before the decimal point are never dropped."""
    if value is None or not math.isfinite(value):
        return ABSENT
    return format_number(value, digits)


def plain(value: float) -> str:
    """A chosen value such as a load: `4`, `1,000`, `12.5`."""
    return f"{value:,.0f}" if value == int(value) else significant(value)


def column(values: Sequence[float | None], *, digits: int = 3, most_decimals: int = 3) -> list[str]:
    """All values of a column with the same number of decimals, so that the points line up.

    The smallest value decides, unless that gives the largest one more than `digits` + 2 significant digits;
    a value that would then read as 0 keeps `most_decimals`.
    """
    present = [abs(value) for value in values if value is not None and math.isfinite(value) and value != 0]
    decimals = 0
    if present:
        fine = decimals_for(min(present), digits)
        coarse = decimals_for(max(present), digits + 2)
        decimals = min(fine, coarse, most_decimals)

    def cell(value: float | None) -> str:
        if value is None or not math.isfinite(value):
            return ABSENT
        vanishes = value != 0 and round(value, decimals) == 0
        return f"{value:,.{most_decimals if vanishes else decimals}f}"

    return [cell(value) for value in values]


def interval(estimate: Figure | None, *, digits: int = 4) -> str:
    """`9,605 to 9,825`, or the sign for absent when there are too few repeats for one."""
    if estimate is None or estimate.low is None or estimate.high is None:
        return ABSENT
    decimals = decimals_for(estimate.value, digits)
    return f"{estimate.low:,.{decimals}f} to {estimate.high:,.{decimals}f}"


def ratio(estimate: Figure | None) -> str:
    """A ratio: `1.007`."""
    return ABSENT if estimate is None else ratio_text(estimate)


def ratio_interval(estimate: Figure | None) -> str:
    """The interval of a ratio: `0.986 to 1.028`."""
    return (words.ratio_interval(estimate) if estimate else "") or ABSENT


def ratio_level(estimate: Figure | None) -> str:
    """The share of intervals such as that of a ratio that hold the true value: `97 %`."""
    return ABSENT if estimate is None or estimate.low is None else level_text(estimate.level)


def half_width(estimate: Figure) -> str:
    """Return how far the interval reaches from the value: `±1.1 %`."""
    if estimate.low is None or estimate.high is None or not estimate.value:
        return ABSENT
    return format_half_width(estimate.value, estimate.low, estimate.high)


def time_ms(value_ms: float | None) -> str:
    """A time in the unit that suits it: `85.2 µs`, `1.24 ms`, `2.5 s`."""
    return ABSENT if value_ms is None else format_time_ms(value_ms)


def time_unit(values_ms: Iterable[float | None]) -> tuple[str, float]:
    """The unit in which all of these can be read with three decimals, and how many of it make 1 ms."""
    present = [value for value in values_ms if value is not None and math.isfinite(value) and value > 0]
    if not present or min(present) >= FINEST_MS:
        return "ms", 1.0
    return ("ns", 1e6) if max(present) < 1e-3 else ("µs", 1e3)


def datum(name: str, value: Any) -> str:
    """A fact or parameter; the end of its name says its unit."""
    if value is None:
        return ABSENT
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(datum(name, item) for item in value)
    if isinstance(value, (int, float)):
        if name.endswith("bytes"):
            return format_bytes(value)
        return str(value) if isinstance(value, int) else f"{value:g}"
    return str(value)
