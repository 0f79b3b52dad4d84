"""How much two systems differ, in words: `10.8 % faster`, from a factor of two on `3.20 × as fast`."""

from __future__ import annotations

from typing import NamedTuple

from igen.judge.result import Figure
from igen.say.words import level_text
from igen.units import decimals_for

MOST_PERCENT_RATIO = 2.0
"""Percents of a larger ratio are harder to read than the ratio."""
LEAST_DECIMALS, LEAST_DIGITS = 1, 1
"""Decimals and digits of percents: `10.8`, `0.03`."""
DIGITS = 3
"""Digits of ratios: `3.20`, `0.312`."""


class Words(NamedTuple):
    """The adjectives of a quantity."""

    more: str
    less: str
    alike: str


THROUGHPUT = "throughput"
OF_THROUGHPUT, OF_TIME = Words("faster", "slower", "fast"), Words("longer", "shorter", "long")


def words_of(quantity: str) -> Words:
    """Return the adjectives of a throughput or of a time."""
    return OF_THROUGHPUT if quantity == THROUGHPUT else OF_TIME


def change(ratio: Figure, words: Words, base: str = "") -> str:
    """Return `10.8 % faster`, `9.2 % slower` or `3.20 × as fast`; with `than BASE` or `as BASE`."""
    if in_percent(ratio):
        text, than = f"{_percents(ratio)[0]} % {words.more if ratio.value >= 1 else words.less}", "than"
    else:
        text, than = f"{_times(ratio.value)} × as {words.alike}", "as"
    return f"{text} {than} {base}" if base else text


def change_with_interval(ratio: Figure, words: Words) -> str:
    """Return `97 % interval 8.1 to 13.5 %`, `… 2.91 to 3.52 ×` or, if it holds 1, `… 2.0 % slower to 1.2 %
    faster`; nothing without an interval."""
    ends = change_ends(ratio, words)
    return f"{level_text(ratio.level)} interval {ends}" if ends else ""


def change_ends(ratio: Figure, words: Words) -> str:
    """Return the interval as `change_with_interval`, without its level."""
    if ratio.low is None or ratio.high is None:
        return ""
    if not in_percent(ratio):
        return f"{_times(ratio.low)} to {_times(ratio.high)} ×"
    _, low, high = _percents(ratio)
    if ratio.low < 1 < ratio.high:
        return f"{low} % {words.less} to {high} % {words.more}"
    return f"{low} to {high} %" if ratio.low >= 1 else f"{high} to {low} %"


def in_percent(ratio: Figure) -> bool:
    """Return True if the difference is read as percents."""
    return 1 / MOST_PERCENT_RATIO < ratio.value < MOST_PERCENT_RATIO


def signed_change(ratio: Figure) -> str:
    """Return the cell of a table: `+10.8 %`, `-9.2 %` or `3.20 ×`."""
    return f"{_percents(ratio, '+')[0]} %" if in_percent(ratio) else f"{_times(ratio.value)} ×"


def signed_ends(ratio: Figure) -> str:
    """Return the interval next to `signed_change`: `+8.1 to +13.5`; nothing without an interval."""
    if ratio.low is None or ratio.high is None:
        return ""
    ends = _percents(ratio, "+")[1:] if in_percent(ratio) else map(_times, (ratio.low, ratio.high))
    return " to ".join(ends)


def _percents(ratio: Figure, sign: str = "") -> list[str]:
    """Return by how many percent it and its ends differ from 1, with as many decimals: with the sign that
    is given, else without one."""
    percents = [100 * (each - 1) for each in (ratio.value, ratio.low, ratio.high) if each is not None]
    decimals = max(LEAST_DECIMALS, decimals_for(percents[0], LEAST_DIGITS))
    return [f"{each if sign else abs(each):{sign},.{decimals}f}" for each in percents]


def _times(ratio: float) -> str:
    return f"{ratio:,.{decimals_for(ratio, DIGITS)}f}"
