"""A curve along the number of targets: as many instances as there are, each under the same load."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from igen.judge.curve.named import below_limit, named, throughput
from igen.judge.curve.points import throughputs
from igen.judge.figure.interval import log_welch
from igen.judge.result import Figure, Finding, Level, Part, Scaling, System
from igen.judge.trust.finding import figure, finding
from igen.judge.trust.usable import has_times, usable

STATEMENTS = "statements"
"""Counter of a workload that is published as a rate of its own: SQL statements."""


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
        ratio = Figure(value=1.0) if level is base else log_welch(throughputs(level), throughputs(base))
        found.append(Scaling(level=level.level, instances=level.instances, efficiency=ratio / ideal))
    return found


def _statements(level: Level) -> Iterator[Part]:
    statements = level.counters.get(STATEMENTS)
    if statements and statements.count:
        yield Part(name="statements_per_s", figure=statements.per_s)


def scaling_observations(system: System) -> Iterator[Finding]:
    """Yield how far throughput grew with the instances, and how many keep to the response-time limit."""
    levels = usable(system.levels)
    if not levels:
        return
    last = levels[-1]
    efficiency = {each.level: each.efficiency for each in system.scaling}.get(last.level)
    yield finding(
        "scaling",
        named(system),
        throughput(system, last.throughput_per_s),
        *_statements(last),
        *([figure("efficiency", efficiency)] if efficiency and last is not levels[0] else []),
        instances=last.instances,
        runs=last.throughput_per_s.n,
        transactions=last.transactions,
    )
    limit_ms, point = system.response_time_limit_ms, system.within_limit
    if limit_ms is None or point is None:
        return  # That no load is shown to be within the limit is an observation of all curves.
    at = next(level for level in levels if level.level == point.level)
    beyond = next((level for level in levels if level.instances > at.instances), None)
    because = []
    if beyond and has_times(beyond) and beyond.response_time_ms:
        mean_ms = beyond.response_time_ms.mean
        rule = "interval-crosses-limit" if mean_ms < limit_ms else "more-instances-beyond"
        because.append(finding(rule, instances=beyond.instances, response_time_ms=mean_ms))
    yield finding(
        "instances-within-limit",
        throughput(system, point.throughput_per_s),
        *below_limit(at),
        limit=limit_ms,
        unit="ms",
        because=because,
        instances=at.instances,
        response_time_ms=point.response_time_ms or 0.0,
    )
