"""How long a level takes to approach its steady state, from the throughputs of all its executions together.

MSER proposes a cut (K. P. White, "An effective truncation heuristic for bias reduction in simulation
output", 1997): where Σ (x - mean)² / (n - d)² is smallest, on batches of up to 5 intervals, at most half of
the series. Alone it deletes whatever looks bad in the first half: a stall, a dip, the low part of a sawtooth.
So the shape decides: what is cut must come towards the level monotonically, from one side and not in one
step, and must lie further off than anything that comes after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from igen.judge.trust.rules.numerics import LITTLE, MSER_BATCH, MSER_BATCHES, SD_PER_DEVIATION, SMOOTHED
from igen.judge.trust.rules.steady import (
    FRONT_AREA,
    FRONT_AREA_SD,
    FRONT_FURTHER,
    FRONT_INTERVALS,
    FRONT_NOISE_SD,
    FRONT_SD,
    FRONT_SLOPE_SD,
    FRONT_STEP,
    LEAST_NOISE,
)

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Approach:
    """What to cut from the front, in intervals, and whether the end of the approach was seen at all."""

    cut: int
    ended: bool = True


def approach(series: Sequence[Floats]) -> Approach:
    """The one cut for all executions of a level; nothing where the front is no approach in each of them.

    Series as multiples of their own level, at least `FRONT_INTERVALS` × 2 long.
    """
    n = min(len(x) for x in series)
    together = np.mean([x[:n] for x in series], axis=0)
    cut, bound = mser(together)
    if cut == bound:
        # With few batches it goes there by chance: where the front has long settled, that is its end.
        cut = _settled(together, cut)
    if cut < FRONT_INTERVALS.value or not _approaches(together, cut, FRONT_NOISE_SD.value):
        return Approach(0)
    if len(series) > 1 and not all(_is_gradual(x, cut, FRONT_NOISE_SD.value + 1) for x in series):
        return Approach(0)
    return Approach(cut, ended=cut < bound)


def mser(x: Floats) -> tuple[int, int]:
    """MSER's cut and the largest that it may choose, in elements of `x`."""
    # MSER-5 needs some 20 batches: with 10 it cuts to the bound in 10 % of steady series.
    batch = int(np.clip(len(x) // MSER_BATCHES, 1, MSER_BATCH))
    batches = len(x) // batch
    means = x[: batches * batch].reshape(batches, batch).mean(axis=1)
    means = means - means.mean()  # so that the sums of squares below lose no digits
    remaining = np.arange(batches, 0, -1)
    sums, squares = (np.cumsum(values[::-1])[::-1] for values in (means, means**2))
    bound = batches // 2
    error = ((squares - sums**2 / remaining) / remaining**2)[: bound + 1]
    # What is left of the digits must not choose the cut of a constant series.
    rounding = (LITTLE * np.abs(x).max(initial=0.0)) ** 2
    return int(np.argmin(np.maximum(error, rounding))) * batch, bound * batch


def _settled(x: Floats, cut: int) -> int:
    """Where the monotone curve of the front comes within half of the noise of the rest's level."""
    near = np.flatnonzero(_falling(_distance(x, cut)[0]) <= noise_of(x) / 2)
    return int(near[0]) if len(near) else cut


def noise_of(x: Floats) -> float:
    """Standard deviation from one element to the next, whatever the level does: by the median difference."""
    typical = SD_PER_DEVIATION * float(np.median(np.abs(np.diff(x)))) / np.sqrt(2)
    return float(max(typical, LEAST_NOISE.value * abs(float(np.median(x)))))


def _approaches(x: Floats, cut: int, most_noise: float) -> bool:
    """Whether `x[:cut]` is a monotone approach to the level of the rest."""
    noise, rest = noise_of(x), x[cut:]
    distance, sign = _distance(x, cut)
    if float(distance.mean()) < FRONT_SD.value * noise / np.sqrt(cut):
        return False
    # Three intervals together: a single one may be off by three standard deviations of the noise.
    smooth = np.convolve(sign * (rest - rest.mean()), np.full(SMOOTHED, 1 / SMOOTHED), "valid")
    start = float(_falling(distance)[0])
    if len(smooth) and start < FRONT_FURTHER.value * float(np.abs(smooth).max()):
        return False
    time = np.arange(len(rest)) - (len(rest) - 1) / 2
    if -sign * float(time @ rest) > FRONT_SLOPE_SD.value * noise * sqrt(float(time @ time)):
        return False
    return bool(distance.min() > -most_noise * noise) and _is_gradual(x, cut, most_noise)


def _is_gradual(x: Floats, cut: int, most_noise: float) -> bool:
    """Whether the front falls towards the rest evenly or ever more slowly, but for noise."""
    noise = noise_of(x)
    distance, _ = _distance(x, cut)
    curve = _falling(distance)
    start = float(curve[0])
    steps = -np.diff(np.append(curve, 0.0))
    gradual = float(steps.max()) <= FRONT_STEP.value * start + most_noise * noise
    area = float(curve.mean()) <= FRONT_AREA.value * start + FRONT_AREA_SD.value * noise / np.sqrt(cut)
    return gradual and area and float(np.abs(distance - curve).max()) <= most_noise * noise


def _distance(x: Floats, cut: int) -> tuple[Floats, float]:
    """From the front to the level of the rest, positive on the side where the front is, and that side."""
    distance: Floats = x[cut:].mean() - x[:cut]
    sign = -1.0 if distance.mean() > 0 else 1.0
    return -sign * distance, sign


def _falling(x: Floats) -> Floats:
    """The falling curve nearest to `x` (isotonic regression: neighbours that rise are pooled)."""
    levels: list[tuple[float, int]] = []
    for value in x:
        mean, count = float(value), 1
        while levels and levels[-1][0] < mean:
            before, many = levels.pop()
            mean, count = (before * many + mean * count) / (many + count), many + count
        levels.append((mean, count))
    return np.repeat([mean for mean, _ in levels], [count for _, count in levels])
