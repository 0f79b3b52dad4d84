"""What one system does within a demand's response-time limit: read off its curve, with its band."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from igen.datacenter.plan import Demand, PlannedSystem
from igen.datacenter.source import Input, Source
from igen.errors import InputError
from igen.judge.curve.laws.curve import CurveLevel
from igen.judge.curve.laws.predict import MEASURED, Prediction, predict_limit
from igen.judge.figure.figure import Figure
from igen.judge.trust.rules.curve import NOT_INFERIOR


@dataclass(frozen=True, slots=True)
class Capacity:
    """The point of a curve at which one system is run."""

    per_s: Input
    peak_per_s: Input
    """The highest throughput that was measured."""
    response_s: float
    limited_by: str
    """In words: what more of would let it do more."""


def capacity(system: PlannedSystem, demand: Demand) -> Capacity | str:
    """The highest throughput within the limit; without one, the lowest load that does the peak's work.

    What lies beyond the last measured level is used only where the file says `extrapolate`. A text where not
    even the lowest measured load is within the limit.
    """
    best = max(system.curve.levels, key=lambda level: level.throughput_per_s)
    name = f"system.{system.name}.curve"  # one name: the levels of a curve are drawn alike
    peak = _measured(name, best, system)
    limit = demand.response_time_limit_s
    if limit is None:
        least = NOT_INFERIOR.value * best.throughput_per_s
        spot = next(level for level in system.curve.levels if level.throughput_per_s >= least)
        return Capacity(_measured(name, spot, system), peak, spot.response_s, "its sweet spot")
    within = [level for level in system.curve.levels if level.response_s <= limit.value]
    low = max(within, key=lambda level: level.throughput_per_s, default=None)
    known = None
    if low is not None:
        words = "the end of its curve" if low is system.curve.levels[-1] else "its peak"
        words = words if low is best else "the last measured load within the limit"
        known = Capacity(_measured(name, low, system), peak, low.response_s, words)
    if known is not None and len(within) == len(system.curve.levels) and not system.extrapolate:
        return known
    try:
        at = predict_limit(system.curve, 1e3 * limit.value, extrapolate=system.extrapolate).at
    except InputError as error:
        return known or f"{system.name}: {error.text}"
    if known is not None and known.per_s.value >= at.throughput_per_s.value:
        return known
    by = "the response time" if at.law == MEASURED else f"the response time (law: {at.law})"
    return Capacity(_predicted(name, at, system.curve_source), peak, at.response_time_ms.value / 1e3, by)


def _measured(name: str, level: CurveLevel, system: PlannedSystem) -> Input:
    x = Figure.estimated(level.throughput_per_s, level.error or 0.0, inf)
    return _input(name, x, system.curve_source)


def _predicted(name: str, at: Prediction, source: Source) -> Input:
    return _input(name, at.throughput_per_s, source, outside=at.place == "outside")


def _input(name: str, x: Figure, source: Source, *, outside: bool = False) -> Input:
    low, high = x.ends() or (x.value, x.value)
    return Input(name, x.value, low, high, source, outside=outside)
