"""Phrases that several sentences share."""

from __future__ import annotations

from collections.abc import Sequence

from igen.analysis.result import Estimate, Level, Point, Ratio, System
from igen.units import format_number, format_rate


def rate(system: System, per_s: float) -> str:
    """A throughput with its unit: `20,666 tx/s`."""
    return f"{format_rate(per_s)} {rate_unit(system)}"


def rate_unit(system: System) -> str:
    """`tx/s`, or what the workload calls its transactions."""
    return f"{'tx' if system.transaction == 'transactions' else system.transaction}/s"


def rate_with_interval(system: System, estimate: Estimate) -> str:
    """`20,666 tx/s (95 % interval 20,104 to 21,243)`."""
    if estimate.low is None or estimate.high is None:
        return f"{rate(system, estimate.value)} (one run: no interval)"
    interval = f"{format_rate(estimate.low)} to {format_rate(estimate.high)}"
    return f"{rate(system, estimate.value)} (95 % interval {interval})"


def ratio_with_interval(ratio: Estimate) -> str:
    """`1.290 × (1.212 to 1.371)`; three decimals, because 1.002 is a difference and 1.00 is none."""
    if ratio.low is None or ratio.high is None:
        return f"{_factor(ratio.value)} ×"
    return f"{_factor(ratio.value)} × ({_factor(ratio.low)} to {_factor(ratio.high)})"


def _factor(value: float) -> str:
    return f"{value:.3f}" if value < 10 else format_number(value)


def load(at: Level | Point | Ratio) -> str:
    """`64 users`, or `100/s` for an open load."""
    if at.offered_per_s is not None:
        return f"{at.offered_per_s:,.6g}/s"
    return f"{at.users} user{'' if at.users == 1 else 's'}"


def loads(levels: Sequence[Level], all_levels: Sequence[Level]) -> str:
    """`48 to 96 users` for neighbours, else `2 users, 8 users`; all in ascending order of load."""
    if len(levels) == 1:
        return load(levels[0])
    positions = [all_levels.index(level) for level in levels]
    if positions[-1] - positions[0] == len(positions) - 1:
        return f"{load(levels[0]).split(' ')[0]} to {load(levels[-1])}"
    return f"{', '.join(load(level) for level in levels[:-1])} and {load(levels[-1])}"
