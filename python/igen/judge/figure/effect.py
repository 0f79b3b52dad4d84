"""What a comparison can see: the smallest effect for its repeats, and the repeats for an effect.

An effect is seen if the test claims it in 4 of 5 studies. Sizes are differences of logarithms: 0.02 is
about 2 %.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from functools import lru_cache
from math import expm1, hypot, inf, sqrt

import numpy as np

from igen.judge.figure.figure import FAMILY_ERROR, Kind, critical_of
from igen.judge.figure.pair_model import planned_pairs
from igen.judge.figure.student import normal_share
from igen.judge.trust.rules.comparison import LEAST_PAIRS_OF_ORDER, MOST_REPEATS, POWER
from igen.judge.trust.rules.numerics import EFFECT_STEP, FIRST_REACH, KEPT_VALUES, MANY_FREEDOM, REACH_SD
from igen.judge.trust.rules.statistics import LEAST_RUNS

_DEVIATIONS = 100


def power_of(effect_in_errors: float, critical: float, freedom: float) -> float:
    """The probability that a t test with this critical value claims so many standard errors.

    The mean over the standard deviation that a study happens to see, so that it holds where the closed form
    of the noncentral t overflows.
    """
    if critical == inf:
        return 0.0
    deviations = _relative_deviations(round(min(freedom, MANY_FREEDOM), 2))
    return sum(
        weight
        * (normal_share(effect_in_errors - critical * s) + normal_share(-effect_in_errors - critical * s))
        for s, weight in deviations
    )


@lru_cache(maxsize=KEPT_VALUES)
def _relative_deviations(freedom: float) -> list[tuple[float, float]]:
    """Values of s / σ with their probabilities: the chi distribution, by rectangles."""
    reach = REACH_SD / sqrt(2 * freedom)
    low, high = max(1 - reach, 0.0), 1 + reach
    values = low + (high - low) * (np.arange(_DEVIATIONS) + 1 / 2) / _DEVIATIONS
    logs = (freedom - 1) * np.log(values) - freedom * values**2 / 2
    weights = np.exp(logs - logs.max())
    return list(zip(values.tolist(), (weights / weights.sum()).tolist(), strict=True))


@lru_cache(maxsize=KEPT_VALUES)
def visible_in_errors(critical: float, freedom: float) -> float:
    """The smallest effect that is seen, in standard errors of the difference."""
    if not critical < inf:
        return inf
    most = critical + FIRST_REACH
    while power_of(most, critical, freedom) < POWER.value:
        most *= 2
    steps = range(round(most / EFFECT_STEP))
    return EFFECT_STEP * bisect_left(
        steps, POWER.value, key=lambda step: power_of(EFFECT_STEP * step, critical, freedom)
    )


def repeats_for(
    effect: float, spread: float, kind: Kind, *, error: float = FAMILY_ERROR, session_error: float = 0.0
) -> int | None:
    """Runs of each side that see an effect; None where more than `MOST_REPEATS` would be needed.

    `effect` is |ln ratio|; `spread` the standard error of ln ratio times the root of the number of repeats:
    the standard deviation of the difference of one pair, or √2 times that of one run. `session_error` is
    part of every standard error. The question is tested at `error`.
    """
    if effect <= 0:
        return None

    def seen(n: int) -> bool:
        freedom, information = _known_by(kind, n)
        standard_error = hypot(spread / sqrt(information), session_error)
        critical = critical_of(kind, information, freedom, error)
        return standard_error == 0 or power_of(effect / standard_error, critical, freedom) >= POWER.value

    return _smallest(seen, LEAST_RUNS.value)


def visible_with(repeats: int, spread: float, kind: Kind, *, error: float = FAMILY_ERROR) -> float:
    """The smallest effect (|ln ratio|) that so many repeats see; `spread` as for `repeats_for`."""
    freedom, information = _known_by(kind, repeats)
    critical = critical_of(kind, information, freedom, error)
    return visible_in_errors(round(critical, 3), freedom) * spread / sqrt(information)


def _known_by(kind: Kind, repeats: int) -> tuple[float, float]:
    """Return degrees of freedom and information of a number of repeats of each side."""
    if kind == "runs":
        return 2.0 * (repeats - 1), float(repeats)
    return planned_pairs(repeats, LEAST_RUNS.value if kind == "sequence" else LEAST_PAIRS_OF_ORDER.value)


def _smallest(holds: Callable[[int], bool], least: int) -> int | None:
    """The smallest number from `least` on for which `holds`, which then holds for all larger ones."""
    high = least
    while not holds(high):
        if high >= MOST_REPEATS.value:
            return None
        high = min(2 * high, MOST_REPEATS.value)
    low = least - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def percent(log_ratio: float) -> float:
    """A difference of logarithms as a percentage: 0.03 is 3.05 %."""
    return 100 * expm1(log_ratio)
