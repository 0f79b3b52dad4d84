"""Distributions of times as the result document has them: milliseconds, with intervals over runs."""

from __future__ import annotations

from collections.abc import Sequence

from igen.analysis.histogram import Histogram, merge
from igen.analysis.interval import log_interval, mean_interval
from igen.analysis.result import Times

LEAST_RUNS_FOR_P99 = 5
LEAST_TAIL_SAMPLES = 100
UNSTABLE_UTILISATION = 0.8
_SHARES = (0.5, 0.9, 0.95, 0.99, 0.999)


def times_of(runs: Sequence[Histogram], utilisation: float | None = None) -> Times | None:
    """All runs merged, intervals over the runs' own figures; None without values.

    `utilisation` (0 to 1) of users or processors: from 80 % on its p99 depends on where a run begins
    and ends.
    """
    merged = merge(runs)
    if not merged.count:
        return None
    filled = [run for run in runs if run.count]
    p50, p90, p95, p99, p999 = (float(value) / 1e6 for value in merged.quantiles_ns(_SHARES))
    p99_of_runs = [float(run.quantiles_ns([0.99])[0]) / 1e6 for run in filled]
    several = len(filled) > 1
    return Times(
        mean=merged.mean_ns / 1e6,
        p50=p50,
        p90=p90,
        p95=p95,
        p99=p99,
        p999=p999,
        max=merged.max_ns / 1e6,
        mean_interval=mean_interval([run.mean_ns / 1e6 for run in filled]) if several else None,
        p99_interval=log_interval(p99_of_runs)
        if len(filled) >= LEAST_RUNS_FOR_P99 and min(p99_of_runs) > 0
        else None,
        p99_unstable=0.01 * merged.count < LEAST_TAIL_SAMPLES
        or (utilisation is not None and utilisation > UNSTABLE_UTILISATION),
    )
