"""What a 99th percentile rests on: values beyond it that come together tell as much as one of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from igen.judge.record.histogram import from_bucket_of, merge
from igen.judge.run.measured import MeasuredRun

PARTS = 10
"""Equal parts of a run in which the values are counted: longer than most queues and stalls last."""


def independent_tail(runs: Sequence[MeasuredRun]) -> float:
    """Values at or beyond the 99th percentile of all runs' response times, as many as are independent.

    A queue, a stall or a slow run has many of them at once. Their number is divided by the index of
    dispersion of the numbers in the runs' parts, variance over mean, which is 1 where they come one by one
    (D. R. Cox and P. A. W. Lewis, "The Statistical Analysis of Series of Events", 1966, chapter 4).
    """
    whole = merge(run.whole.response_time for run in runs)
    if not whole.count:
        return 0.0
    (limit_ns,) = whole.quantiles_ns([0.99]).tolist()
    numbers: list[float] = []
    for run in runs:
        beyond = from_bucket_of([each.transactions.response_time for each in run.intervals], limit_ns)
        numbers += [float(part.sum()) for part in np.array_split(beyond, PARTS) if len(part)]
    total = sum(numbers)
    if len(numbers) < 2 or not total:
        return total
    return total / max(float(np.var(numbers, ddof=1)) / (total / len(numbers)), 1.0)
