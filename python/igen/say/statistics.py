"""Sentences about figures that do not repeat, or have too little data."""

from __future__ import annotations

from collections.abc import Callable

from igen.say.group import Group
from igen.units import format_rate, format_short


def _few_intervals(group: Group) -> str:
    are = "is" if group.number("intervals") == "1" else "are"
    return f"{group.count('intervals', 'interval')} {are} too few to judge (need {_need(group)})"


def _need(group: Group) -> str:
    return f"{group.findings[0].limit:g}"


def _few_periods(group: Group) -> str:
    periods = f"{group.number('periods', '.1f')} periods of {group.number('period_s', 'g')} s"
    return f"{periods} were measured (need {_need(group)})"


def _span(span: tuple[float, float | None]) -> str:
    start, *end = (format_short(at_s) for at_s in span if at_s is not None)
    return f"from {start} to {end[0]} s" if end else f"from {start} s on"


def _change(group: Group) -> str:
    change = "is above zero only"
    if group.has("change_percent"):
        change = f"changes by {group.number('change_percent', '+.1f', ' %')}"
    return f"step: throughput {change} {group.spans('changed_s', _span)}"


def _of(group: Group) -> str:
    quantity = group.findings[0].quantity
    return f"{quantity} " if quantity else ""


def _two_groups(group: Group) -> str:
    groups = ", ".join(
        f"{group.number(f'runs_{name}')} near {group.number(f'near_{name}_per_s', format_rate)}/s"
        for name in ("low", "high")
    )
    return f"the runs fall into two groups: {groups}"


def _too_short(group: Group) -> str:
    values = group.number("independent_values", ".1f")
    worth = f"a run has only {values} independent values (need {_need(group)})"
    return f"the runs are too short for these times: {worth}"


def _noisy(group: Group) -> str:
    which = "of bandwidth" if group.number("kernels") == "1" else "of the kernels' median"
    spread = f"{group.percent('spread_percent', '.1f')} {group.limit()}"
    return f"noisy: the spread {which} over the repeats is {spread}"


SENTENCES: dict[str, Callable[[Group], str]] = {
    "one-run": lambda _: "no interval: one run does not show how much runs differ",
    "wide-interval": lambda group: (
        f"the runs differ too much: {_of(group)}±{group.percent('half_percent', '.0f')} {group.limit()}"
    ),
    "too-short": _too_short,
    "two-groups": _two_groups,
    "noisy-repeats": _noisy,
    "few-intervals": _few_intervals,
    "few-periods": _few_periods,
    "long-warm-up": lambda group: (
        f"the warm-up takes {group.number('warm_up_s', 'g')} s or more: half of the measurement"
    ),
    "outage": lambda group: (
        f"outage: throughput is below half of its median {group.spans('below_half_s', _span)}"
    ),
    "step": _change,
}
