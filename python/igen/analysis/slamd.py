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

from igen.analysis.histogram import Histogram
from igen.analysis.measured import MeasuredRun
from igen.analysis.recording import Statistics
from igen.analysis.result import SlamdRow

Floats = NDArray[np.float64]


def slamd_rows(runs: Sequence[MeasuredRun], unit: str) -> list[SlamdRow]:
    """Rows of one level: its transactions (called `unit`), failures, operations and counters."""
    intervals = [interval for run in runs for interval in run.intervals]
    if not intervals:
        return []
    first = runs[0].recording
    table = Intervals(first.level, first.users, np.array([interval.length_s for interval in intervals]))
    transactions = [interval.transactions for interval in intervals]
    rows = [
        table.counts("Transactions", unit, [each.count for each in transactions]),
        table.counts("Failed Transactions", unit, [each.failed for each in transactions]),
        table.times("Response Time", [each.response_time for each in transactions]),
        table.times("Service Time", [each.service_time for each in transactions]),
    ]
    nothing = Statistics()
    for name in dict.fromkeys(name for interval in intervals for name in interval.operations):
        operations = [interval.operations.get(name, nothing) for interval in intervals]
        rows.append(table.counts(name, "operations", [each.count for each in operations]))
        rows.append(table.times(f"{name} time", [each.service_time for each in operations]))
    names = dict.fromkeys(name for interval in intervals for name in interval.counters)
    rows += [table.counts(name, name, [each.counters.get(name, 0) for each in intervals]) for name in names]
    return rows


@dataclass(frozen=True, slots=True)
class Intervals:
    """The intervals of one level, by their lengths."""

    level: int
    users: int | None
    lengths_s: Floats

    def counts(self, statistic: str, unit: str, counts: Sequence[int]) -> SlamdRow:
        """Something counted in each interval."""
        values = np.asarray(counts, float)
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
        )

    def times(self, statistic: str, times: Sequence[Histogram]) -> SlamdRow:
        """Something timed in each interval; intervals without a value have no mean and are left out."""
        counts = np.array([each.count for each in times], float)
        sums_ms = np.array([each.sum_ns / 1e6 for each in times])
        some = counts > 0
        means_ms = sums_ms[some] / counts[some]
        count = float(counts.sum())
        return SlamdRow(
            level=self.level,
            users=self.users,
            statistic=statistic,
            unit="ms",
            count=count,
            avg_per_second=None,
            avg_per_interval=None,
            std_dev=_standard_deviation(means_ms),
            corr_coeff=_correlation(means_ms, self._middles_s()[some]),
            total_duration_ms=float(sums_ms.sum()),
            avg_duration_ms=float(sums_ms.sum() / count) if count else None,
            avg_count_per_interval=float(counts.mean()),
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
