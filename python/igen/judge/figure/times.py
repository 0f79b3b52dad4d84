"""Times as the result document has them: milliseconds, the geometric means of the runs' own figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from igen.judge.figure.interval import geometric_mean, log_interval
from igen.judge.figure.spread import Spread
from igen.judge.record.histogram import Histogram, quantiles_of_each_ns
from igen.judge.result import Times
from igen.judge.trust.rules.statistics import LEAST_RUNS_OF_P99
from igen.quantiles import QUANTILES
from igen.units import NS_PER_MS

_LEAST_NS = 1 / 2
"""The middle of the first bucket, whose times are too short to be told from none."""


@dataclass(frozen=True, slots=True)
class TimesSpread:
    """What all levels of a system tell of how much the times of runs differ; None if they tell nothing."""

    mean: Spread | None = None
    p99: Spread | None = None
    enough: bool = True
    """A run is worth enough independent values; of fewer there is no honest interval."""


def times_of(
    runs: Sequence[Histogram],
    whole: Sequence[Histogram] | None = None,
    spread: TimesSpread | None = None,
    factors: Sequence[float] = (),
) -> Times | None:
    """Return what several runs say together; None without values.

    `runs` are the times of the part that was measured, whose mean goes with the throughput; `whole` those of
    all of MEASURE, for percentiles and maximum, if that is more. `factors` bring each run to the usual speed
    of the machine.
    """
    filled = [
        (part, all_, factor)
        for part, all_, factor in zip(runs, whole or runs, factors or [1.0] * len(runs), strict=True)
        if part.count and all_.count
    ]
    if not filled:
        return None
    known = spread or TimesSpread()
    means = [factor * max(part.mean_ns, _LEAST_NS) / NS_PER_MS for part, _, factor in filled]
    quantiles_ns = quantiles_of_each_ns([all_ for _, all_, _ in filled], [*QUANTILES.values()])
    scales = np.array([factor for _, _, factor in filled])
    of_each = scales * np.maximum(quantiles_ns, _LEAST_NS).T / NS_PER_MS
    columns: dict[str, list[float]] = dict(zip(QUANTILES, of_each.tolist(), strict=True))
    mean = log_interval(means, spread=known.mean)
    of_p99 = log_interval(columns["p99"], spread=known.p99)
    return Times(
        mean=mean.value,
        **{name: geometric_mean(column) for name, column in columns.items()},
        max=max(all_.max_ns for _, all_, _ in filled) / NS_PER_MS,
        mean_interval=mean if known.enough and len(filled) > 1 else None,
        p99_interval=of_p99 if known.enough and len(filled) >= LEAST_RUNS_OF_P99.value else None,
    )
