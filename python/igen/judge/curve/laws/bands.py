"""Bands of throughput at one load: inside of the measured range, and beyond it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from igen.judge.curve.laws.choose import FittedLaw, best_at_the_end
from igen.judge.curve.laws.curve import ScalingCurve
from igen.judge.curve.laws.families import Values
from igen.judge.curve.laws.isotonic import NAME as ISOTONIC
from igen.judge.curve.laws.isotonic import between
from igen.judge.curve.laws.refusals import anything_is_possible, nobody_knows
from igen.judge.figure.student import t_critical
from igen.judge.trust.rules.numerics import BISECTIONS
from igen.judge.trust.rules.prediction import LEAST_LEVELS_ALONE, MOST_T, USELESS, WIDER_THAN_NOISE, WORST_END
from igen.judge.trust.rules.statistics import CONFIDENCE


@dataclass(frozen=True, slots=True)
class Band:
    """Throughputs a second at one load, and the law that says them."""

    value: float
    low: float
    high: float
    law: str


def inside(curve: ScalingCurve, laws: Sequence[FittedLaw], users: float, *, useful: bool = True) -> Band:
    """By the laws that the levels do not reject, and never wider than what is possible without any law.

    Where they reject all of them, what is possible without; with `useful` that is refused where it is too
    wide to be of use.
    """
    times, z = between(curve, users), curve.think_s
    possible = Band(
        users / (times.value_s + z), users / (times.high_s + z), users / (times.low_s + z), ISOTONIC
    )
    accepted = [_band(curve, each, users, _half(curve, each)) for each in laws if not each.rejected]
    if accepted:
        low = max(min(each.low for each in accepted), possible.low)
        high = min(max(each.high for each in accepted), possible.high)
        if low < high:
            return Band(float(np.clip(accepted[0].value, low, high)), low, high, accepted[0].law)
    if useful and possible.high > USELESS.value * possible.low:
        raise anything_is_possible(curve, users, possible.low, possible.high)
    return possible


def beyond(curve: ScalingCurve, laws: Sequence[FittedLaw], users: float) -> Band:
    """By the law that predicted the last third best, in a band that holds all others that predicted it.

    Which of them is right chance decides as well: the best alone held two thirds of what came. The band grows
    with the distance. Refused if no law predicted the last third, if the laws disagree, and if one law speaks
    alone from so few levels that laws of three parameters could not contradict it.
    """
    able = best_at_the_end(laws)
    alike = [each for each in able if each.end_rms <= WORST_END.value]
    if not alike or (len(alike) == 1 and len(curve.levels) < LEAST_LEVELS_ALONE.value):
        raise nobody_knows(curve, users)
    seen = curve.users[len(curve.levels) - len(able[0].end_errors) - 1]
    distance = 1 + float(np.log(users / curve.users[-1]) / np.log(curve.users[-1] / seen))
    bands = []
    for each in alike:
        half = max(2 * each.end_rms, float(np.abs(each.end_errors).max()), _half(curve, each))
        bands.append(_band(curve, each, users, half * distance))
    low, high = min(each.low for each in bands), max(each.high for each in bands)
    if high > USELESS.value * low:
        raise nobody_knows(curve, users)
    most = most_per_s(curve, users)
    return Band(min(bands[0].value, most), min(low, most), min(high, most), bands[0].law)


def most_per_s(curve: ScalingCurve, users: float) -> float:
    """X ≤ N / (R + Z) with the shortest response time that was measured: nobody waits for anybody."""
    return float(users / (curve.response_s.min() + curve.think_s))


def _half(curve: ScalingCurve, fitted: FittedLaw) -> float:
    """Half the band's width on ln X: by the errors at held-out levels, and no less than the worst."""
    t = t_critical(max(len(fitted.errors) - 1, 1), (1 - CONFIDENCE.value) / 2)
    return max(min(t, MOST_T.value) * max(fitted.rms, WIDER_THAN_NOISE.value * curve.noise), fitted.largest)


def _band(curve: ScalingCurve, fitted: FittedLaw, users: float, half: float) -> Band:
    value, low, high = _throughputs(curve, fitted, users, np.array([0.0, -half, half]))
    return Band(value, low, high, fitted.law.name)


def _throughputs(curve: ScalingCurve, fitted: FittedLaw, users: float, shifts: Values) -> list[float]:
    """Return X of the law, e^shift times as high, with N = n + Z X(n): who thinks is not in the system."""
    parameters, factor = fitted.parameters[None], np.exp(shifts)

    def by_law(n: Values, x: Values) -> Values:
        found: Values = factor * np.exp(fitted.law.log_throughput(n, x, parameters)[0])
        return found

    if not curve.think_s:
        at = np.full_like(shifts, users)
        return [*map(float, by_law(at, at))]
    low, high = np.zeros_like(shifts), np.full_like(shifts, users)
    for _ in range(BISECTIONS):
        n = (low + high) / 2
        x = (users - n) / curve.think_s
        fewer = by_law(n, x / factor) <= x
        low, high = np.where(fewer, n, low), np.where(fewer, high, n)
    return [*map(float, (users - low) / curve.think_s)]
