"""A period of the throughput, such as that of checkpoints or of garbage collection."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from igen.judge.trust.rules.numerics import LITTLE, SHORTEST_PERIOD
from igen.judge.trust.rules.steady import NEARLY_AS_GOOD, PERIOD_CORRELATION, PERIOD_SD

Floats = NDArray[np.float64]


def find_period(series: Sequence[Floats]) -> int | None:
    """Length of the shortest clear period of all series, in elements; None without one or below two of them.

    A lag counts as a period if the mean autocorrelation has a peak there, above 0.5 and 3.5 standard errors,
    and was below half of that before. False alarms: below 2 % of series with autocorrelation up to 0.5.
    """
    n = min(len(x) for x in series)
    correlations = [r for x in series if (r := _autocorrelation(x[:n])) is not None]
    if not correlations:
        return None
    r = np.mean(correlations, axis=0)
    looks = np.sqrt(len(series) * (n - np.arange(len(r))))
    needed = np.maximum(PERIOD_CORRELATION.value, PERIOD_SD.value / looks)
    peaks = [
        lag
        for lag in range(SHORTEST_PERIOD, len(r) - 1)
        if r[lag] >= max(r[lag - 1], r[lag + 1], needed[lag]) and r[1:lag].min() < r[lag] / 2
    ]
    # Multiples of the period correlate as well: the first that is nearly as good is the period.
    return next((lag for lag in peaks if r[lag] >= NEARLY_AS_GOOD.value * r[peaks].max()), None)


def _autocorrelation(x: Floats) -> Floats | None:
    """At lags up to half of the length, without the slope; None of a constant series."""
    n = len(x)
    time = np.arange(n) - (n - 1) / 2
    y = x - x.mean() - time * (time @ x) / (time @ time)
    variance = float(y @ y) / n
    if variance <= LITTLE**2 * float(x @ x) / n:
        return None
    r: Floats = np.array([y[lag:] @ y[: n - lag] / (n - lag) for lag in range(n // 2 + 1)]) / variance
    return r


def profile(x: Floats, period: int) -> Floats:
    """What the phase of the period adds to the mean, for each element."""
    phases = np.arange(len(x)) % period
    means = np.bincount(phases, x, period) / np.bincount(phases, minlength=period)
    profile: Floats = means[phases] - x.mean()
    return profile


def is_seen(series: Sequence[Floats], period: int, counts: Sequence[float], counted: float) -> bool:
    """Whether a period is more than how a regular load falls into intervals."""
    swings = [float(np.ptp(profile(x, period))) * count for x, count in zip(series, counts, strict=True)]
    return max(swings) > counted
