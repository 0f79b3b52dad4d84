"""A curve along the number of targets: as many instances as there are, each under the same load."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from igen.judge.interval import log_welch
from igen.judge.load import instances_name
from igen.judge.points import throughputs
from igen.judge.result import Estimate, Level, Observation, Scaling, System
from igen.judge.usable import has_times, usable
from igen.judge.wording import STATEMENTS, below_limit_evidence, efficiency_percent, rate, rate_with_interval
from igen.units import counted, format_number, format_time_ms


def scaling_of(levels: Sequence[Level]) -> list[Scaling]:
    """Efficiency of each level against the one with the fewest instances; empty where nothing was done there.

    X(n) / (n X(1)) with the interval of the ratio X(n) / X(1), log-Welch over the runs.
    """
    by_instances = sorted(levels, key=lambda level: level.instances)
    if not by_instances or min(throughputs(by_instances[0]), default=0) <= 0:
        return []
    base = by_instances[0]
    found = []
    for level in by_instances:
        if min(throughputs(level), default=0) <= 0:
            continue
        ideal = level.instances / base.instances
        ratio = (
            Estimate(value=1.0) if level is base else log_welch(throughputs(level), throughputs(base)).ratio
        )
        found.append(Scaling(level=level.level, instances=level.instances, efficiency=_divided(ratio, ideal)))
    return found


def _divided(ratio: Estimate, by: float) -> Estimate:
    low, high = (None if end is None else end / by for end in (ratio.low, ratio.high))
    return Estimate(value=ratio.value / by, low=low, high=high, n=ratio.n)


def scaling_observations(system: System) -> Iterator[Observation]:
    """How far throughput grew with the instances, and how many of them keep to the response-time limit."""
    levels = usable(system.levels)
    if not levels:
        return
    last = levels[-1]
    runs = f"{counted(last.throughput_per_s.n, 'run')}, {counted(last.transactions, 'transaction')}"
    do = "does" if last.instances == 1 else "do"
    text = f"{system.name}: {instances_name(last)} {do} {rate_with_interval(system, last.throughput_per_s)}"
    statements = last.counters.get(STATEMENTS)
    if statements and statements.count:
        text += f", {format_number(statements.per_s)} {STATEMENTS}/s"
    efficiency = {each.level: each.efficiency for each in system.scaling}.get(last.level)
    if efficiency and last is not levels[0]:
        text += f"; that is {efficiency_percent(efficiency)} of {last.instances} times one"
    yield Observation(text=f"{text}.", evidence=runs)
    limit_ms, point = system.response_time_limit_ms, system.within_limit
    if limit_ms is None or point is None:
        return  # What no load is shown to be within is told of all curves.
    at = next(level for level in levels if level.level == point.level)
    text = (
        f"Up to {instances_name(at)} the mean response time stays below {format_time_ms(limit_ms)}: "
        f"{format_time_ms(point.response_time_ms or 0.0)} at {rate(system, point.throughput_per_s.value)}"
    )
    beyond = next((level for level in levels if level.instances > at.instances), None)
    if beyond and has_times(beyond) and beyond.response_time_ms:
        mean_ms = beyond.response_time_ms.mean
        text += f"; {instances_name(beyond)} answer in {format_time_ms(mean_ms)}"
        text += ", but the interval of it crosses the limit" if mean_ms < limit_ms else ""
    yield Observation(text=f"{text}.", evidence=below_limit_evidence(at))
