"""A threshold: a figure of a level, and the limit that it must not be beyond, as a user writes it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from igen.errors import InputError
from igen.judge.figure.figure import Figure
from igen.judge.trust.finding import Finding
from igen.nearest import nearest, suggestion
from igen.units import MS_PER_S, parse_rate_per_s, parse_share, parse_time_s

EXAMPLES = "'p99 of response > 20ms', 'throughput < 1000/s at 8 users' or 'errors > 0'"
FIGURES = {
    "mean": "mean",
    "p50": "p50",
    "p90": "p90",
    "p95": "p95",
    "p99": "p99",
    "p99.9": "p999",
    "max": "max",
}
"""Figures of a distribution of times, with their names in the result document."""
TIMES = ("response", "service")
_NAMES = ("throughput", "errors", *(f"{figure} of {times}" for times in TIMES for figure in FIGURES))
_EXPRESSION = re.compile(
    r"(?P<name>.*?)\s*(?P<operator>[<>]=?|=+)\s*(?P<limit>.*?)(?:\s+at\s+(?P<load>.*))?", re.DOTALL
)
_USERS = re.compile(r"(\d{1,9}) users?")

Unit = Literal["ms", "per s", "count", "share"]
Judgement = Literal["crossed", "held", "cannot tell"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """`p99 of response > 20ms at 8 users`: crossed where the figure is above (or below) the limit."""

    text: str
    """As it was written, with single spaces."""
    name: str
    """The figure in words: `p99 of response`."""
    unit: Unit
    """Unit of figure and limit."""
    limit: float
    above: bool
    """Whether it is crossed above the limit; below it else."""
    of_load: str = ""
    """The one of several loads at once that it is about. Without a name times are those of each, throughput
    and errors those of all together."""
    users: int | None = None
    """The only load at which it holds, its own; without one and without `rate_per_s` it holds at
    each."""
    rate_per_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdAnswer:
    """What a threshold says of one level."""

    threshold: str
    """The expression."""
    figure: str
    """`p99 of response`, `p99 of response of clerks`."""
    system: str
    """Empty where no level was measured at the load that the expression names."""
    level: int | None
    users: int | None
    offered_per_s: float | None
    value: Figure | None
    """The figure with its 95 % interval; None where it cannot be used."""
    unit: Unit
    limit: float
    above: bool
    """Whether it is crossed above the limit; below it else."""
    answer: Judgement
    """`crossed` and `held`: the whole interval, widened by what disturbed the machine, is on that side."""
    fails: bool
    """Whether it ends the run with exit code 1: it is crossed, or cannot be told and the figure itself is
    beyond the limit, or the expression found no figure at any level."""
    why: Finding | None = None
    """Why it cannot be told."""
    load: str = ""
    """The one of several loads at once that it is about, to which `users` and `offered_per_s` belong."""
    among: str = ""
    """All of several loads at once in words."""


def parse_threshold(text: str) -> Threshold:
    """The threshold that an expression means. Raises `InputError` with a hint."""
    words = " ".join(text.split())
    match = _EXPRESSION.fullmatch(words)
    if match is None:
        raise InputError(f"`{words}` is not a threshold", hint=f"such as {EXAMPLES}")
    name, of_load = _name(match["name"], words)
    if match["operator"] not in ("<", ">"):
        hint = "write > for a figure that must not be above its limit, < for one that must not be below"
        raise InputError(f"`{match['operator']}` is neither < nor >", hint=hint)
    limit, unit = _limit(name, match["limit"])
    users, rate_per_s = _load(match["load"])
    return Threshold(
        text=words,
        name=name,
        unit=unit,
        limit=limit,
        above=match["operator"] == ">",
        of_load=of_load,
        users=users,
        rate_per_s=rate_per_s,
    )


def _name(text: str, expression: str) -> tuple[str, str]:
    """The figure, and the name of the load that it is one of; empty if it names none."""
    head, _, load = text.rpartition(" of ")
    for name, of in ((text, ""), (head, load)):
        if (figure := name.removesuffix(" time")) in _NAMES:
            return figure, of
    misspelt = nearest(load, TIMES) is not None
    if text in FIGURES or (head in FIGURES and not misspelt):
        name, of = (text, "") if text in FIGURES else (head, f" of {load}")
        hint = f"write `{name} of response{of}` or `{name} of service{of}`"
        raise InputError(f"`{name}` of which times?", hint=hint)
    raise InputError(f"`{text or expression}` is not a figure of a level", hint=suggestion(text, _NAMES))


def _limit(name: str, text: str) -> tuple[float, Unit]:
    if name == "errors":
        if text.endswith("%") and text.strip("% 0"):
            return parse_share(text), "share"
        if text.isdecimal() and len(text) < 10:
            return float(text), "count"
        raise InputError(f"`{text}` is not a number of errors", hint="such as 'errors > 0' or 'errors > 1%'")
    if name == "throughput":
        return parse_rate_per_s(_with_unit(text, "1000/s")), "per s"
    return MS_PER_S * parse_time_s(_with_unit(text, "20ms")), "ms"


def _with_unit(text: str, example: str) -> str:
    if not text or text[-1].isdigit():
        raise InputError(f"the limit `{text}` has no unit", hint=f"such as {example}")
    return text


def _load(text: str | None) -> tuple[int | None, float | None]:
    if text is None:
        return None, None
    if match := _USERS.fullmatch(text):
        return int(match[1]), None
    try:
        return None, parse_rate_per_s(_with_unit(text, "100/s"))
    except InputError as error:
        raise InputError(f"`{text}` is not a load", hint="write `at 8 users` or `at 100/s`") from error
