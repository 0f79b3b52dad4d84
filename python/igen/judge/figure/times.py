"""Times as the result document has them: milliseconds, the geometric means of the runs' own figures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from igen.judge.figure.interval import geometric_mean, log_interval
from igen.judge.record.histogram import Histogram
from igen.judge.result import Times
from igen.judge.trust.rules.statistics import LEAST_RUNS_OF_P99, LEAST_TAIL_SAMPLES

_SHARES = (0.5, 0.9, 0.95, 0.99, 0.999)
_LEAST_NS = 0.5
"""The middle of the first bucket, whose times are too short to be told from none."""


def times_of(
    runs: Sequence[Histogram], whole: Sequence[Histogram] | None = None, *, unstable: bool = False
) -> Times | None:
    """What several runs say together; None without values.

    `runs` are the times of the part that was measured, whose mean goes with the throughput; `whole` those of
    all of MEASURE, for percentiles and maximum, where that is more. `unstable`: the runs are too short for
    their p99.
    """
    filled = [
        (part, all_) for part, all_ in zip(runs, whole or runs, strict=True) if part.count and all_.count
    ]
    if not filled:
        return None
    means = [max(part.mean_ns, _LEAST_NS) / 1e6 for part, _ in filled]
    quantiles = [np.maximum(all_.quantiles_ns(_SHARES), _LEAST_NS) / 1e6 for _, all_ in filled]
    p50, p90, p95, p99, p999 = (geometric_mean(column) for column in np.transpose(quantiles).tolist())
    tail = 0.01 * sum(all_.count for _, all_ in filled)
    mean = log_interval(means)
    return Times(
        mean=mean.value,
        p50=p50,
        p90=p90,
        p95=p95,
        p99=p99,
        p999=p999,
        max=max(all_.max_ns for _, all_ in filled) / 1e6,
        mean_interval=mean if len(filled) > 1 else None,
        p99_interval=log_interval([float(row[3]) for row in quantiles])
        if len(filled) >= LEAST_RUNS_OF_P99.value
        else None,
        p99_unstable=unstable or tail < LEAST_TAIL_SAMPLES.value,
    )
