"""The statistics table in the columns of SLAMD, the load generator whose published tables are compared with.

Names are SLAMD's, the mathematics is right: Std Dev is that of interval rates (of interval means for times),
with n - 1; Corr Coeff is Pearson's, of rate (or mean) and time. Whole intervals only; the intervals of a
level's runs stand one after another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from igen.aspects.slamd.rows import SlamdRow, SlamdTable
from igen.aspects.slamd.statistics import Counted, statistics_of
from igen.judge.aspect import SystemRuns
from igen.judge.record.histogram import Histogram, merge
from igen.judge.run.measured import MeasuredRun
from igen.quantiles import MEDIAN, P90, P99, P999

Floats = NDArray[np.float64]

PERCENTILES = (MEDIAN, P90, P99, P999)


def slamd_table_of(system: SystemRuns) -> SlamdTable | None:
    """All levels; None where nothing was measured."""
    rows = [row for runs in system.runs for row in slamd_rows(runs, system.transaction)]
    return SlamdTable(rows=rows) if rows else None


def slamd_rows(runs: Sequence[MeasuredRun], unit: str) -> list[SlamdRow]:
    """Rows of one level: those of the published table of its workload, or all that was counted and timed.

    `unit` is what its transactions are called.
    """
    intervals = [interval for run in runs for interval in run.intervals]
    if not intervals:
        return []
    first = runs[0].recording
    table = Intervals(first.level, first.users, np.array([interval.length_s for interval in intervals]))
    rows = []
    for each in statistics_of(str(first.job.get("workload", "")), unit, intervals):
        if isinstance(each, Counted):
            per = [each.per(interval) for interval in intervals] if each.per else None
            rows.append(
                table.counts(each.name, each.unit, [each.of(interval) for interval in intervals], per)
            )
        else:
            rows.append(table.times(each.name, [each.of(interval) for interval in intervals]))
    return rows


@dataclass(frozen=True, slots=True)
class Intervals:
    """The intervals of one level, by their lengths."""

    level: int
    users: int | None
    lengths_s: Floats

    def counts(
        self, statistic: str, unit: str, counts: Sequence[int], per: Sequence[int] | None = None
    ) -> SlamdRow:
        """Something counted in each interval; `per` is how many operations counted it."""
        values = np.asarray(counts, float)
        operations = sum(per or [])
        rates = values / self.lengths_s
        return SlamdRow(
            level=self.level,
            users=self.users,
            statistic=statistic,
            unit=unit,
            count=float(values.sum()),
            avg_per_second=float(values.sum() / self.lengths_s.sum()),
            avg_per_interval=float(values.mean()),
            std_dev=_standard_deviation(rates),
            corr_coeff=_correlation(rates, self._middles_s()),
            avg_value=float(values.sum() / operations) if operations else None,
        )

    def times(self, statistic: str, times: Sequence[Histogram]) -> SlamdRow:
        """Something timed in each interval; intervals without a value have no mean and are left out."""
        counts = np.array([each.count for each in times], float)
        sums_ms = np.array([each.sum_ns / 1e6 for each in times])
        some = counts > 0
        means_ms = sums_ms[some] / counts[some]
        count = float(counts.sum())
        percentiles = merge(times).quantiles_ns(PERCENTILES) / 1e6
        p50_ms, p90_ms, p99_ms, p999_ms = percentiles.tolist() if count else [None] * len(PERCENTILES)
        return SlamdRow(
            level=self.level,
            users=self.users,
            statistic=statistic,
            unit="ms",
            count=count,
            std_dev=_standard_deviation(means_ms),
            corr_coeff=_correlation(means_ms, self._middles_s()[some]),
            total_duration_ms=float(sums_ms.sum()),
            avg_duration_ms=float(sums_ms.sum() / count) if count else None,
            avg_count_per_interval=float(counts.mean()),
            p50_ms=p50_ms,
            p90_ms=p90_ms,
            p99_ms=p99_ms,
            p999_ms=p999_ms,
        )

    def _middles_s(self) -> Floats:
        middles: Floats = np.cumsum(self.lengths_s) - self.lengths_s / 2
        return middles


def _standard_deviation(values: Floats) -> float | None:
    return float(values.std(ddof=1)) if len(values) > 1 else None


def _correlation(values: Floats, times: Floats) -> float | None:
    """Pearson's; None where nothing varies."""
    if len(values) < 2:
        return None
    a, b = values - values.mean(), times - times.mean()
    power = float((a @ a) * (b @ b))
    return float(a @ b) / power**0.5 if power > 0 else None
