"""An interruption of the load, in which less than half of the usual was done."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from igen.judge.run.approach import noise_of
from igen.judge.trust.rules.steady import BY_CHANCE, OUTAGE_INTERVALS, OUTAGE_LEVEL, OUTAGE_SD, OUTAGE_SHARE

Floats = NDArray[np.float64]


def outage(x: Floats, count: float) -> tuple[int, int] | None:
    """The longest run of intervals below half of the median, if it is long enough; that few of `count`
    transactions an interval come is no outage where they come so by chance."""
    median = float(np.median(x))
    low = (x < OUTAGE_LEVEL.value * median) & (x < median - OUTAGE_SD.value * noise_of(x))
    edges = np.flatnonzero(np.diff(np.concatenate(([False], low, [False])).astype(int)))
    runs = list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
    begin, end = max(runs, key=lambda run: run[1] - run[0], default=(0, 0))
    if end - begin < max(min(OUTAGE_SHARE.value * len(x), OUTAGE_INTERVALS.value), 1):
        return None
    against = _against(count * float(x[begin:end].sum()), count * median * (end - begin))
    return (begin, end) if against >= BY_CHANCE.value else None


def _against(came: float, expected: float) -> float:
    """Log-likelihood that a number of transactions which come at random has against it (Poisson)."""
    if came <= 0 or expected <= 0:
        return max(came, expected)
    return float(expected - came + came * np.log(came / expected))
