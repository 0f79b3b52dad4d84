"""Predictions at loads that were not measured: with a band, or refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from math import ceil, floor
from typing import Literal

from igen.judge.curve.laws import bands, refusals
from igen.judge.curve.laws.choose import FittedLaw, fitted_laws
from igen.judge.curve.laws.curve import CurveLevel, ScalingCurve
from igen.judge.figure.figure import Figure
from igen.judge.trust.rules.prediction import ERROR_FREEDOM, MOST_BEYOND
from igen.units import MS_PER_S

Place = Literal["measured", "inside", "outside"]
"""Outside of the measured range a law may be wrong however well it fits."""
MEASURED = "measured"


@dataclass(frozen=True, slots=True, kw_only=True)
class LawScore:
    """How a law did at levels that it had not seen."""

    law: str
    parameters: dict[str, float]
    held_out_error_percent: float
    """Root mean square over the inner levels, each held out alone."""
    end_error_percent: float | None
    """The same over the last third, held out together; None where too few levels are left for it."""
    rejected: bool
    """Its errors are larger than the noise of the levels explains."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """What a curve says of one load; the intervals are those of one more measurement there (95 %)."""

    system: str
    transaction: str
    users: float
    think_time_s: float
    throughput_per_s: Figure
    response_time_ms: Figure
    """Mean."""
    most_per_s: float
    """N / (R + Z), if nobody waited for anybody."""
    place: Place
    law: str
    """The one with the smallest error at held-out levels; `isotonic` where the levels reject all laws, and
    `measured` where the load is one of them."""
    measured_users: list[float]
    left_out_users: list[float]
    """Measured loads whose throughput cannot be used: the prediction does not rest on them."""
    laws: list[LawScore]


@dataclass(frozen=True, slots=True, kw_only=True)
class UsersWithin:
    """How many users a limit of the mean response time allows."""

    limit_ms: float
    users: float
    low: float | None
    """So many are surely within it; None where not even the lowest measured load surely is."""
    high: float | None
    """More are surely not; None where what was looked at ends before."""
    at: Prediction
    """At `users`."""


def predict_users(curve: ScalingCurve, users: float, *, extrapolate: bool = False) -> Prediction:
    """Throughput and response time at so many users.

    Raises `InputError` outside of the measured range unless `extrapolate`, beyond twice its end, and where
    nobody can tell.
    """
    laws = _laws(curve)
    measured = next((level for level in curve.levels if level.users == users), None)
    if measured is not None:
        return _prediction(curve, laws, users, *_known(curve, measured), "measured")
    first, last = curve.users[0], curve.users[-1]
    if users < first or (users > last and not extrapolate):
        raise refusals.outside(curve, users)
    if users > MOST_BEYOND.value * last:
        raise refusals.too_far(curve, users)
    is_beyond = users > last
    band = bands.beyond(curve, laws, users) if is_beyond else bands.inside(curve, laws, users)
    times = _response_ms(curve, users, band)
    return _prediction(curve, laws, users, band, times, "outside" if is_beyond else "inside")


def predict_limit(curve: ScalingCurve, limit_ms: float, *, extrapolate: bool = False) -> UsersWithin:
    """The highest number of users whose mean response time is within the limit.

    Raises `InputError` as `predict_users` does, and where the fewest measured users exceed the limit.
    """
    laws = _laws(curve)
    first, last = float(curve.users[0]), float(curve.users[-1])

    def times(users: float) -> Figure:
        measured = next((level for level in curve.levels if level.users == users), None)
        if measured is not None:
            return _known(curve, measured)[1]
        if users > last:
            return _response_ms(curve, users, bands.beyond(curve, laws, users))
        return _response_ms(curve, users, bands.inside(curve, laws, users, useful=False))

    if (fewest := times(first).value) > limit_ms:
        raise refusals.above_limit(curve, first, fewest, limit_ms)
    points = [float(at) for at in curve.users]
    if all(times(at).value <= limit_ms for at in points):
        if extrapolate:
            points.append(MOST_BEYOND.value * last)
        if times(points[-1]).value <= limit_ms:
            most = times(last).value
            raise refusals.never_reached(curve, last, most, limit_ms, extrapolated=extrapolate)
    users = _highest(lambda at: times(at).value <= limit_ms, points) or first
    return UsersWithin(
        limit_ms=limit_ms,
        users=users,
        low=_highest(lambda at: times(at).against(most=limit_ms) == "within", points),
        high=_highest(lambda at: times(at).against(most=limit_ms) != "above", points, open_end=True),
        at=predict_users(curve, users, extrapolate=extrapolate),
    )


def _highest(
    holds: Callable[[float], bool], points: Sequence[float], *, open_end: bool = False
) -> float | None:
    """The highest whole number of users up to which it holds at the points and where it ends between two.

    None where it does not hold at the first point, or with `open_end` still does at the last.
    """
    within = [*takewhile(holds, points)]
    if not within:
        return None
    if len(within) == len(points):
        return None if open_end else points[-1]
    low, high = floor(within[-1]), ceil(points[len(within)])
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return max(float(low), points[0])


def _laws(curve: ScalingCurve) -> Sequence[FittedLaw]:
    if len(curve.levels) < 2:
        raise refusals.one_level(curve)
    return fitted_laws(curve)


def _known(curve: ScalingCurve, level: CurveLevel) -> tuple[bands.Band, Figure]:
    """A load that was measured needs no law; one that was not repeated has the noise of the others."""
    error = level.error or curve.noise
    x = Figure.estimated(level.throughput_per_s, error, ERROR_FREEDOM.value)
    times = Figure.estimated(MS_PER_S * level.response_s, level.response_error or error, ERROR_FREEDOM.value)
    return bands.Band(x.value, *(x.ends() or (x.value, x.value)), MEASURED), times


def _response_ms(curve: ScalingCurve, users: float, band: bands.Band) -> Figure:
    """R = N / X - Z."""
    value, low, high = (max(users / x - curve.think_s, 0.0) for x in (band.value, band.high, band.low))
    return Figure(value=MS_PER_S * value, low=MS_PER_S * low, high=MS_PER_S * high)


def _prediction(
    curve: ScalingCurve,
    laws: Sequence[FittedLaw],
    users: float,
    band: bands.Band,
    times: Figure,
    place: Place,
) -> Prediction:
    return Prediction(
        system=curve.name,
        transaction=curve.transaction,
        users=users,
        think_time_s=curve.think_s,
        throughput_per_s=Figure(value=band.value, low=band.low, high=band.high),
        response_time_ms=times,
        most_per_s=bands.most_per_s(curve, users),
        place=place,
        law=band.law,
        measured_users=[float(at) for at in curve.users],
        left_out_users=[*curve.left_out],
        laws=[_score(each) for each in laws],
    )


def _score(fitted: FittedLaw) -> LawScore:
    return LawScore(
        law=fitted.law.name,
        parameters=fitted.law.named(fitted.parameters),
        held_out_error_percent=100 * fitted.rms,
        end_error_percent=100 * fitted.end_rms if len(fitted.end_errors) else None,
        rejected=fitted.rejected,
    )
