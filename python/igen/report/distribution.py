"""How the response times of systems with one level are distributed: percentiles, and shares of all."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

from igen.document import Axis, Bars, ChartLine, Dot, Lines, Picture
from igen.judge.result import Level, Result, System
from igen.layout.dots import MARKS
from igen.layout.level import LoadAxis, colour_places, shorten
from igen.layout.number import time_ms, time_unit
from igen.layout.short_names import short_names
from igen.quantiles import QUANTILES
from igen.report.aspects import speaking_for
from igen.report.curves import rescaled
from igen.text import Text

LOG_FROM = 8.0
"""Highest over lowest percentile from which on times are drawn on a logarithmic axis."""
WIDEST_BUCKET = 1.5
"""Upper over lower edge; what is wider is a gap between buckets."""
MOST_SYSTEMS = 8


def distribution_pictures(result: Result) -> list[Picture]:
    """Percentiles of all systems in one picture and one system's distribution; none of several loads."""
    shown = [system for system in result.systems if len(system.levels) == 1 and not speaking_for(system)]
    if len(shown) != len(result.systems) or not 0 < len(shown) <= MOST_SYSTEMS:
        return []
    found = [_percentiles(result)]
    if len(shown) == 1:
        found.append(_bars(shown[0]))
    return [picture for picture in found if picture is not None]


def nines(quantile: float) -> float:
    """How many nines: 0 at 0, 1 at 0.9, 2 at 0.99."""
    return -math.log10(1 - quantile)


def _percentiles(result: Result) -> Picture | None:
    places, short = colour_places(result), short_names(result)
    series = [
        ChartLine(
            shorten(short[system.name]) if len(result.systems) > 1 else "",
            places[system.name],
            _dots(system.levels[0]),
        )
        for system in result.systems
        if system.levels[0].response_time_ms is not None
    ]
    values = [dot.y for each in series for dot in each.dots]
    if not any(value > 0 for value in values):
        return None
    unit, per_ms = time_unit(values)
    is_wide = min(values) > 0 and max(values) / min(values) > LOG_FROM
    scale = Axis("", "log" if is_wide else "linear")
    ticks = [nines(quantile) for quantile in QUANTILES.values()]
    axis = LoadAxis.of(result)
    named = ", ".join(f"{system.name} at {axis.name(system.levels[0])}" for system in result.systems)
    chart = Lines(Axis("percentile", "percentile", ticks=ticks), scale, rescaled(series, per_ms))
    words = Text.of(*(dot.tip for each in series for dot in each.dots), between="; ")
    described = Text.of(f"Response times of {named}: ", words, ".")
    return Picture("percentiles", f"Response time by percentile, {unit}", described, chart)


def _dots(level: Level) -> list[Dot]:
    times = level.response_time_ms
    if times is None:
        return []
    found = []
    for name, quantile in QUANTILES.items():
        runs = [
            float(getattr(run.response_time_ms, name))
            for run in level.repeats
            if run.used and run.response_time_ms is not None
        ]
        estimate = times.p99_interval if name == "p99" else None
        low, high = (estimate.low, estimate.high) if estimate is not None else (None, None)
        value = getattr(times, name)
        tip = f"p{100 * quantile:.4g}: {time_ms(value)}"
        found.append(Dot(nines(quantile), value, low, high, runs, MARKS[level.trust.verdict], tip))
    return found


def _bars(system: System) -> Picture | None:
    """The distribution over all measured intervals of the runs on which the figures rest."""
    (level,) = system.levels
    counts: Counter[float] = Counter()
    for run in level.repeats:
        for interval in run.timeline if run.used else ():
            for edge_ms, count in interval.heat if interval.measured else ():
                counts[edge_ms] += int(count)
    edges = sorted(edge for edge, count in counts.items() if count > 0 and edge > 0)
    if not edges or level.response_time_ms is None:
        return None
    usual = max(
        (upper / lower for lower, upper in pairwise(edges) if upper / lower <= WIDEST_BUCKET), default=1.25
    )
    low = [max(below, edge / usual) for below, edge in zip([0.0, *edges], edges, strict=False)]
    total = sum(counts[edge] for edge in edges)
    times = level.response_time_ms
    unit, per_ms = time_unit([times.p50, times.p99])
    chart = Bars(
        Axis(f"response time, {unit}", "log"),
        [per_ms * edge for edge in low],
        [per_ms * edge for edge in edges],
        [counts[edge] / total for edge in edges],
        marks=[(per_ms * times.p50, "p50"), (per_ms * times.p99, "p99")],
    )
    ends = f"median {time_ms(times.p50)}, p99 {time_ms(times.p99)}"
    words = f"Response times of {total:,} {system.transaction}: {ends}."
    return Picture("distribution", "Distribution of response times, % of all", words, chart)
