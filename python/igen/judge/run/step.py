"""The part of a run, of any length and place, whose throughput differs most from the rest of the run.

A step, a dip or a slow half of a single run is an observation: the interval of the level, which is made of
whole runs, contains it. Noise may be correlated from interval to interval up to 0.5: the correlation is that
of all runs of a level, from differences over one and over two intervals, which steps hardly touch. Values are
clipped at three standard deviations, so that a single bad interval is noise and a lasting one is not.
Simulated in tests/judge/test_step.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from igen.judge.run.approach import noise_of
from igen.judge.trust.finding import Finding, Part, finding
from igen.judge.trust.rules.numerics import BLOCK, LEAST_BLOCKS, MEDIAN_OF_SQUARES
from igen.judge.trust.rules.steady import (
    CLIP_SD,
    LEAST_EFFECT,
    LEAST_NOISE,
    MOST_CORRELATION,
    MOST_INTERVALS,
    STEP_SD,
    STEP_SD_OF_MORE,
)

Floats = NDArray[np.float64]


def steps(series: Sequence[Floats], begin_s: float, interval_s: float) -> Iterator[Finding | None]:
    """Yield for each run of a level the step in it, or None.

    `series` are multiples of the level, in intervals that begin `begin_s` after MEASURE did.
    """
    batch = -(-max(map(len, series), default=1) // MOST_INTERVALS.value)
    raw = [_batches(x, batch) for x in series]
    clipped = [_clipped(x) for x in raw]
    variances = _long_run_variances(raw, clipped)
    length_s = batch * interval_s
    for x, y, variance in zip(raw, clipped, variances, strict=True):
        part = _most_different(y)
        limit = _at(STEP_SD.value, len(x)) + _at(STEP_SD_OF_MORE.value, len(x)) * log(len(series))
        is_step = part.distance > limit * sqrt(variance) and part.effect_on(x) >= LEAST_EFFECT.value
        yield finding("step", *part.change(x, begin_s, length_s)) if is_step else None


@dataclass(frozen=True, slots=True)
class _Step:
    """A part of a series, by its edges."""

    begin: int
    end: int
    distance: float
    """Distance of the clipped sums, before it is divided by the noise."""

    def _means(self, x: Floats) -> tuple[float, float, float]:
        """Return the means inside and outside, and the share of the time inside."""
        inside = np.zeros(len(x), bool)
        inside[self.begin : self.end] = True
        return float(x[inside].mean()), float(x[~inside].mean()), float(inside.mean())

    def effect_on(self, x: Floats) -> float:
        """Return how far the mean is off the mean of the longer of both parts, as a share of it."""
        inside, outside, share = self._means(x)
        of_rest = outside if share < 0.5 else inside
        return abs(inside - outside) * min(share, 1 - share) / of_rest if of_rest > 0 else 1.0

    def change(self, x: Floats, begin_s: float, length_s: float) -> list[Part]:
        """Return the change in percent and its time; of a part at the start, of what follows it."""
        inside, outside, _ = self._means(x)
        from_s, to_s = begin_s + self.begin * length_s, begin_s + self.end * length_s
        if self.begin == 0:
            return _change(outside, inside, (to_s, None))
        return _change(inside, outside, (from_s, None if self.end == len(x) else to_s))


def _change(value: float, base: float, span_s: tuple[float, float | None]) -> list[Part]:
    """Return the change and its time; a change from nothing has no figure."""
    percent = [Part(name="change_percent", figure=100 * (value / base - 1))] if base > 0 else []
    return [*percent, Part(name="changed_s", span=span_s)]


def _batches(x: Floats, batch: int) -> Floats:
    batches = len(x) // batch
    means: Floats = x[: batches * batch].reshape(batches, batch).mean(axis=1)
    return means


def _clipped(x: Floats) -> Floats:
    """Return it without its median, a single outlier no further off than noise goes."""
    noise = CLIP_SD.value * noise_of(x)
    clipped: Floats = np.clip(x - np.median(x), -noise, noise)
    return clipped


def _long_run_variances(raw: Sequence[Floats], clipped: Sequence[Floats]) -> list[float]:
    """By series: n times the variance that the mean of n such values has, their correlation allowed for.

    Differences over k intervals of an autoregressive series have the variance 2 σ² (1 - φ^k), so that those
    over two and over one tell φ: 1 + φ is their quotient. Noise that is none from one interval to the next
    and lasts for some shows between the means of neighbouring blocks: the larger of both counts, up to what
    the largest correlation that is allowed for would make of the first.
    """
    halves, twos, blocks = [], [], []
    for x, y in zip(raw, clipped, strict=True):
        limit = np.sqrt(2) * CLIP_SD.value * noise_of(x)
        one, two = (np.clip(y[lag:] - y[:-lag], -limit, limit) for lag in (1, 2))
        half = float(one @ one) / len(one) / 2
        halves.append(half)
        if half > 0:
            twos.append(float(two @ two) / len(two) / 2 / half)
            blocks += [variance / half for variance in _between_blocks(y)]
    quotient = float(np.mean(twos)) if twos else 1.0
    # Low by about one in the number of values.
    quotient += quotient / sum(len(y) for y in clipped)
    correlation = min(max(quotient - 1, 0.0), MOST_CORRELATION.value)
    factor = max(_long_run_factor(correlation), float(np.mean(blocks)) if blocks else 0.0)
    factor = min(factor, _long_run_factor(MOST_CORRELATION.value))
    return [max(half * factor, LEAST_NOISE.value**2) for half in halves]


def _long_run_factor(correlation: float) -> float:
    """Variance of a mean of n values, n times, over half of that of a difference of neighbours."""
    return (1 + correlation) / (1 - correlation) ** 2


def _between_blocks(y: Floats) -> list[float]:
    """The same from neighbouring blocks of `BLOCK` values, none for a short series; by the median, which a
    change of level does not move."""
    if len(y) < LEAST_BLOCKS * BLOCK:
        return []
    sums = np.concatenate(([0.0], np.cumsum(y)))
    means = (sums[BLOCK:] - sums[:-BLOCK]) / BLOCK
    squares = (means[BLOCK:] - means[:-BLOCK]) ** 2
    return [BLOCK * float(np.median(squares)) / MEDIAN_OF_SQUARES / 2]


def _most_different(y: Floats) -> _Step:
    """Where |sum - length × mean| / √(length (1 - length / n)) is largest, over all parts of the series."""
    n = len(y)
    sums = np.concatenate(([0.0], np.cumsum(y - y.mean())))
    edges = np.arange(n + 1)
    length = np.abs(edges[None, :] - edges[:, None])
    inner = (length > 0) & (length < n)
    scale = np.sqrt(np.where(inner, length * (1 - length / n), 1.0))
    distance = np.where(inner, np.abs(sums[None, :] - sums[:, None]) / scale, 0.0)
    begin, end = sorted(divmod(int(np.argmax(distance)), n + 1))
    return _Step(begin, end, float(distance[begin, end]))


def _at(limits: dict[int, float], n: int) -> float:
    """Return a critical value at a number of intervals, by interpolation."""
    return float(np.interp(n, [*limits], [*limits.values()]))
