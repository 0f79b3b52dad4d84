"""Where the steady state begins, whether it was reached, and how many whole periods were measured.

The rules, in the order in which they are applied to the throughputs of a level's intervals:

1. A period (checkpoints, garbage collection) is found by autocorrelation. Its profile is taken out before the
   other rules look, and what is measured is cut to whole periods, at least three.
2. MSER cuts the warm-up: the cut d minimises the squared standard error of what remains,
   Σ (x - mean)² / (n - d)² (White 1997), on batches of up to 5 intervals, at most half of the series.
   MSER-5 needs some 20 batches: with 10 it cuts to the bound in 10 % of steady series. So the batch is a
   twentieth of the series, and 5 from 100 intervals on.
3. The level is not steady if the cut is at its bound and what it removes differs from the rest, if the means
   of the two halves of the rest differ by more than 1 % and than 2.3 standard errors, or if Kendall's rank
   correlation with time is significant at 1 %. Standard errors allow for autocorrelation of first order and,
   through Student's t, for short series.

Simulated (tests/analysis/test_steady.py; noise 5 %, so that the 1 % does not help), false alarms on steady
series of 10 / 20 / 50 / 60 intervals: independent 2 / 2 / 2 / 2 %, autocorrelation 0.3: 4 / 4 / 4 / 3 %.
A drift of 5 % under 1 % noise is seen in 44 / 60 / - / 94 %, a step of 5 % in 95 / 100 / - / 100 %.
Periodic dips to half: worst error 0.9 % over whole periods, 4.7 % over one and a half.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from igen.analysis.value import STEADY_MEAN, Value

HALVES_DIFFERENCE = 0.01
"""Halves that differ by less are alike for any purpose."""
HALVES_STANDARD_ERRORS = 2.3
KENDALL_P = 0.01
LEAST_INTERVALS = 6
"""A shorter series cannot be judged."""
LEAST_PERIODS = 3
PERIOD_CORRELATION = 0.5
PERIOD_STANDARD_ERRORS = 3.5

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Steady:
    """Measure intervals `cut` to `stop` (exclusive); `reasons` say why the level was not steady."""

    cut: int
    stop: int
    steady: bool
    reasons: list[str]
    period: int | None
    """In intervals."""


def part_of(series: Sequence[float], value: Value, *, planned: bool) -> Steady:
    """The intervals that count, by their throughputs, and whether these were steady."""
    if value == STEADY_MEAN:
        return steady_state(series, planned=planned)
    cut = len(series) - max(round(len(series) / 5), 1) if series else 0
    return replace(steady_state(series[cut:], planned=True), cut=cut, stop=len(series))


def steady_state(series: Sequence[float], *, planned: bool = False) -> Steady:
    """Judges the throughputs of consecutive intervals of equal length, of MEASURE alone.

    A `planned` throughput (open and paced loads) does not warm up, so nothing is cut: what MSER would find is
    a stall, whose waiting customers belong to the response time.
    """
    x = np.asarray(series, float)
    if len(x) < LEAST_INTERVALS:
        reason = f"{len(x)} intervals are too few to tell (need {LEAST_INTERVALS})"
        return Steady(0, len(x), False, [reason], None)
    period = find_period(x)
    level = x if period is None else x - _profile(x, period)
    cut, bound = (0, len(x)) if planned else mser(level)
    stop, reasons = len(x), []
    if period is not None:
        periods = (len(x) - cut) // period
        if periods < LEAST_PERIODS:
            whole = (len(x) - cut) / period
            reasons.append(f"{whole:.1f} periods of {period} intervals were measured (need {LEAST_PERIODS})")
        stop = cut + max(periods, 1) * period if periods else len(x)
    reasons += _unsteady(level[:cut], level[cut:], cut == bound, period or 1)
    return Steady(cut, stop, not reasons, reasons, period)


def mser(x: Floats) -> tuple[int, int]:
    """MSER's cut and the largest that it may choose, in elements of `x`."""
    batch = int(np.clip(len(x) // 20, 1, 5))
    batches = len(x) // batch
    means = x[: batches * batch].reshape(batches, batch).mean(axis=1)
    means = means - means.mean()  # so that the sums of squares below lose no digits
    remaining = np.arange(batches, 0, -1)
    sums, squares = (np.cumsum(values[::-1])[::-1] for values in (means, means**2))
    bound = batches // 2
    error = ((squares - sums**2 / remaining) / remaining**2)[: bound + 1]
    # What is left of the digits must not choose the cut of a constant series.
    rounding = (1e-9 * np.abs(x).max(initial=0.0)) ** 2
    return int(np.argmin(np.maximum(error, rounding))) * batch, bound * batch


def find_period(x: Floats) -> int | None:
    """Length of the shortest clear period, in elements; None without one or below two of them.

    A lag counts as a period if the autocorrelation has a peak there, above 0.5 and 3.5 standard errors, and
    was below half of that before. False alarms: below 2 % of series with autocorrelation up to 0.5.
    """
    n = len(x)
    time = np.arange(n) - (n - 1) / 2
    y = x - x.mean() - time * (time @ x) / (time @ time)
    variance = float(y @ y) / n
    if variance <= 1e-18 * float(x @ x) / n:
        return None
    r = np.array([y[lag:] @ y[: n - lag] / (n - lag) for lag in range(n // 2 + 1)]) / variance
    needed = np.maximum(PERIOD_CORRELATION, PERIOD_STANDARD_ERRORS / np.sqrt(n - np.arange(len(r))))
    peaks = [
        lag
        for lag in range(3, len(r) - 1)
        if r[lag] >= max(r[lag - 1], r[lag + 1], needed[lag]) and r[1:lag].min() < r[lag] / 2
    ]
    # Multiples of the period correlate as well: the first that is nearly as good is the period.
    return next((lag for lag in peaks if r[lag] >= 0.8 * r[peaks].max()), None)


def _profile(x: Floats, period: int) -> Floats:
    """What the phase of the period adds to the mean, for each element."""
    phases = np.arange(len(x)) % period
    means = np.bincount(phases, x, period) / np.bincount(phases, minlength=period)
    profile: Floats = means[phases] - x.mean()
    return profile


def _unsteady(removed: Floats, rest: Floats, at_bound: bool, fitted: int) -> list[str]:
    """Why `rest` is not steady; `fitted` means were taken out of it before."""
    n, half, mean = len(rest), len(rest) // 2, float(rest.mean())
    freedom = n - 1 - fitted
    if freedom < 2:
        return []
    first, second = rest[:half], rest[half:]
    residuals = np.concatenate((first - first.mean(), second - second.mean()))
    inflation = _variance_inflation(residuals)
    variance = float(residuals @ residuals) / freedom * inflation
    errors = -stdtrit(freedom, ndtr(-HALVES_STANDARD_ERRORS))

    def differs(a: Floats, b: Floats) -> bool:
        limit = errors * np.sqrt(variance * (1 / len(a) + 1 / len(b)))
        return bool(abs(a.mean() - b.mean()) > max(HALVES_DIFFERENCE * abs(mean), limit))

    reasons = []
    if at_bound and differs(removed, rest):
        reasons.append(f"the warm-up takes {len(removed)} intervals or more: half of those measured")
    if differs(first, second):
        change = (second.mean() - first.mean()) / mean * 100
        reasons.append(f"the second half is {change:+.1f} % off the first")
    p = kendall_p(rest, inflation)
    if p < KENDALL_P:
        direction = "rises" if second.mean() > first.mean() else "falls"
        reasons.append(f"it {direction} throughout (Kendall's p = {p:.2g})")
    return reasons


def _variance_inflation(residuals: Floats) -> float:
    """Variance of a mean of autocorrelated values over that of independent ones: (1 + φ) / (1 - φ)."""
    power = float(residuals @ residuals)
    if power == 0:
        return 1.0
    correlation = float(residuals[1:] @ residuals[:-1]) / power
    # The estimate is low by (1 + 4 φ) / n (Kendall 1954).
    correlation += (1 + 4 * correlation) / len(residuals)
    correlation = min(max(correlation, 0.0), 0.8)
    return (1 + correlation) / (1 - correlation)


def kendall_p(x: Floats, variance_inflation: float = 1.0) -> float:
    """Two-sided p-value of Kendall's τ of `x` with time, by its normal approximation, with ties."""
    n = len(x)
    s = sum(int(np.sign(x[i + 1 :] - x[i]).sum()) for i in range(n - 1))
    ties = np.unique(x, return_counts=True)[1].astype(float)
    variance = (n * (n - 1) * (2 * n + 5) - (ties * (ties - 1) * (2 * ties + 5)).sum()) / 18
    if variance <= 0:
        return 1.0
    return float(2 * ndtr(-max(abs(s) - 1, 0) / np.sqrt(variance * variance_inflation)))
