"""What holds without any law: the time in the system does not fall when users are added.

Between two measured loads it lies between the two times, and the throughput is X = N / (R + Z).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from igen.judge.curve.laws.curve import ScalingCurve
from igen.judge.trust.rules.prediction import CERTAIN_SD, SLACK

NAME = "isotonic"


@dataclass(frozen=True, slots=True)
class Between:
    """Response times at one load: what is likely, and what is possible."""

    value_s: float
    low_s: float
    high_s: float


def isotonic_times(curve: ScalingCurve) -> np.ndarray:
    """Isotonic regression of the response times over the users, by pooling adjacent violators."""
    blocks: list[list[float]] = []
    for time in curve.response_s:
        blocks.append([float(time), 1.0])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (one, weight), (other, more) = blocks[-2], blocks[-1]
            blocks[-2:] = [[(one * weight + other * more) / (weight + more), weight + more]]
    return np.array([time for time, weight in blocks for _ in range(int(weight))])


def between(curve: ScalingCurve, users: float) -> Between:
    """Response times at a load within the measured range."""
    pooled = isotonic_times(curve)
    at = curve.users
    above = int(np.clip(np.searchsorted(at, users, side="left"), 0, len(at) - 1))
    below = above if at[above] == users else max(above - 1, 0)
    error = CERTAIN_SD.value * curve.noise + SLACK.value
    ends = [each[place] for each in (pooled, curve.response_s) for place in (below, above)]
    # Where times fell by more than noise does, the rule does not hold: they may fall and rise as much again.
    fall = float(np.log(curve.response_s[below] / curve.response_s[above]))
    if fall > error:
        error += fall
    low, high = min(ends) * np.exp(-error), max(ends) * np.exp(error)
    return Between(float(np.interp(users, at, pooled)), float(low), float(high))
