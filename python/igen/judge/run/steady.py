"""Which part of the executions of a level counts, and what their throughputs look like.

Decided once, from all executions together:

1. A period (checkpoints, garbage collection) is found by autocorrelation. What is measured is cut to whole
   periods; if the user said how long the warm-up is, nothing is cut (`measured`).
2. If the judge was left to choose the warm-up, its rest is cut (`approach`): one cut for all executions.
3. Of the rest, an outage makes a level SUSPECT. Everything else about the shape of single runs is an
   observation: the interval of the level contains it. What all runs share is the trend (`trust.trend`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from igen.judge.run.approach import approach
from igen.judge.run.outage import outage
from igen.judge.run.period import Floats, find_period, is_seen, profile
from igen.judge.run.step import steps
from igen.judge.trust.finding import Finding, Part, finding
from igen.judge.trust.rules.steady import COUNTED, LEAST_INTERVALS, LEAST_PERIODS


@dataclass(frozen=True, slots=True)
class Steadiness:
    """What is used of the executions: of each the intervals `cut` to `stops` (exclusive), the end of its last
    whole period."""

    cut: int = 0
    stops: list[int] = field(default_factory=list)
    period: int | None = None
    """In intervals."""
    shapes: list[list[Finding]] = field(default_factory=list)
    """By execution: what its throughput looks like; empty for a flat one."""


def steadiness(
    executions: Sequence[Sequence[float]],
    *,
    may_cut: bool,
    interval_s: float = 1.0,
    counted: float = COUNTED.value,
) -> Steadiness:
    """Judge the throughputs a second in consecutive intervals of equal length, of MEASURE alone.

    `may_cut`: the judge chooses the warm-up. `counted` is by how many transactions intervals differ that the
    load itself makes different.
    """
    lengths = [len(values) for values in executions]
    judged = [place for place, length in enumerate(lengths) if length >= LEAST_INTERVALS.value]
    found = [
        []
        if length >= LEAST_INTERVALS.value
        else [finding("few-intervals", limit=LEAST_INTERVALS.value, intervals=length)]
        for length in lengths
    ]
    if not judged:
        return Steadiness(0, lengths, None, found)
    told = _judged([np.asarray(executions[place], float) for place in judged], may_cut, interval_s, counted)
    stops = list(lengths)
    for place, stop, shape in zip(judged, told.stops, told.shapes, strict=True):
        stops[place], found[place] = stop, shape
    return Steadiness(told.cut, stops, told.period, found)


def _judged(series: list[Floats], may_cut: bool, interval_s: float, counted: float) -> Steadiness:
    lengths = [len(x) for x in series]
    levels = [_level_of(x) for x in series]
    if not all(levels):
        return Steadiness(0, lengths, None, [[] for _ in lengths])
    series = [x / level for x, level in zip(series, levels, strict=True)]
    counts = [level * interval_s for level in levels]
    period = find_period(series)
    if period is not None and not is_seen(series, period, counts, counted):
        period = None
    flat = series if period is None else [x - profile(x, period) for x in series]
    front = approach(flat) if may_cut else None
    cut = front.cut if front and front.ended else 0
    found: list[list[Finding]] = [[] for _ in series]
    if front and not front.ended:
        found = [[finding("long-warm-up", warm_up_s=front.cut * interval_s)] for _ in series]
    stops = lengths
    if period is not None:
        stops = [cut + max((length - cut) // period, 1) * period for length in lengths]
        stops = [min(stop, length) for stop, length in zip(stops, lengths, strict=True)]
        for shape, length in zip(found, lengths, strict=True):
            shape += _few_periods(length - cut, period, interval_s)
    rests = [x[cut:] for x in flat]
    for shape, x, count, step in zip(
        found, rests, counts, steps(rests, cut * interval_s, interval_s), strict=True
    ):
        if len(x) < LEAST_INTERVALS.value:
            continue
        if (gap := outage(x, count)) is not None:
            at_s = ((cut + gap[0]) * interval_s, (cut + gap[1]) * interval_s)
            shape.append(finding("outage", Part(name="below_half_s", span=at_s)))
        elif step is not None:
            shape.append(step)
    return Steadiness(cut, stops, period, found)


def _few_periods(intervals: int, period: int, interval_s: float) -> list[Finding]:
    """Return a finding if too few periods were measured."""
    if intervals >= LEAST_PERIODS.value * period:
        return []
    return [
        finding(
            "few-periods",
            limit=LEAST_PERIODS.value,
            periods=intervals / period,
            period_s=period * interval_s,
        )
    ]


def _level_of(x: Floats) -> float:
    """Return what the series is measured in: the median of its second half, after a warm-up."""
    return float(np.median(x[len(x) // 2 :])) or float(x.mean())
