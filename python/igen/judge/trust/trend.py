"""What all runs of a level share: a figure that is another one at the end of a run than at its begin.

A single run may wander, and the interval of the level contains that. A warm-up, or a table that grows, is the
same in every run: the runs agree with each other, and all of them are off. The trend is the change from the
first third of a run to the last one; a level that still changes is off by half of it, at least.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from igen.judge.figure.student import t_critical
from igen.judge.run.measured import MeasuredRun
from igen.judge.run.period import profile
from igen.judge.trust.disturbance import Bound, Cause
from igen.judge.trust.finding import finding
from igen.judge.trust.rules.statistics import TREND_BLOCKS, TREND_ERROR, TREND_RUNS, TREND_THIRDS
from igen.judge.trust.rules.steady import COUNTED

Floats = NDArray[np.float64]
NONE = Bound()


@dataclass(frozen=True, slots=True)
class Series:
    """A figure of one run by intervals, as the sums that it is the quotient of."""

    parts: Floats
    wholes: Floats

    def blocks(self, number: int) -> Floats:
        """Return the figure in so many equal parts of the run, as multiples of the run's own."""
        edges = np.arange(number) * len(self.parts) // number
        parts, wholes = (np.add.reduceat(values, edges) for values in (self.parts, self.wholes))
        mean: float = self.parts.sum() / self.wholes.sum()
        # By linearisation, so that a block with few transactions counts for few.
        figures: Floats = 1 + (parts / mean - wholes) / wholes.mean()
        return figures


def trend_of(runs: Sequence[MeasuredRun]) -> list[Cause]:
    """Return what the runs of a level share as a cause; empty if they share nothing."""
    every = {"": list(runs), **{name: [run.loads[name] for run in runs] for name in runs[0].loads}}
    changes = {name: _changes(each) for name, each in every.items()}
    throughput, times = (max(of, key=abs) for of in zip(*changes.values(), strict=True))
    if not throughput and not times:
        return []
    # The bounds are wide enough for each load; the load that changes most is named.
    most = max(changes, key=lambda name: max(map(abs, changes[name])))
    of_throughput, of_times = changes[most]
    found = finding(
        "trend",
        scope="level",
        throughput_change_percent=100 * of_throughput,
        times_change_percent=100 * of_times,
    )
    return [Cause(finding=replace(found, load=most), throughput=_bound(throughput), times=_bound(times))]


def _changes(runs: Sequence[MeasuredRun]) -> tuple[float, float]:
    """Return the changes of the throughput and of the times that the runs of one load share."""
    # The throughput of an open or paced load is what was offered: its trend is chance, or a queue that grows.
    closed = runs[0].recording.is_closed
    throughput = shared_change([_throughput(run) for run in runs]) if closed else 0.0
    times = shared_change([_times(run) for run in runs])
    # Where an interval is cut decides into which third a transaction falls, in all runs alike.
    of_third = sum(run.transactions.count for run in runs) / len(runs) / TREND_THIRDS.value
    least = COUNTED.value / max(of_third, 1.0)
    return throughput if abs(throughput) > least else 0.0, times if abs(times) > least else 0.0


def _bound(change: float) -> Bound:
    half_percent = 100 * abs(change) / 2
    return Bound(low_percent=-half_percent, high_percent=half_percent) if change else NONE


def _throughput(run: MeasuredRun) -> Series:
    lengths_s = np.array([each.length_s for each in run.intervals])
    counts = np.array([float(each.transactions.count) for each in run.intervals])
    if run.period_s is not None:
        period = round(run.period_s / run.recording.interval_s)
        counts = counts - profile(counts / lengths_s, period) * lengths_s
    return Series(counts, lengths_s)


def _times(run: MeasuredRun) -> Series:
    times = [each.transactions.response_time for each in run.intervals]
    sums = np.array([float(time.sum_ns) for time in times])
    counts = np.array([float(time.count) for time in times])
    if run.period_s is not None and counts.all():
        period = round(run.period_s / run.recording.interval_s)
        sums = sums - profile(sums / counts, period) * counts
    return Series(sums, counts)


def shared_change(series: Sequence[Series]) -> float:
    """Return the change from the first to the last third of a run, as a share; 0 if it may be chance."""
    full = [each for each in series if len(each.parts) >= TREND_BLOCKS.value and each.parts.sum() > 0]
    if not full:
        return 0.0
    blocks = np.array([each.blocks(TREND_BLOCKS.value) for each in full])
    runs, number = blocks.shape
    third = number // TREND_THIRDS.value
    contrast = np.zeros(number)
    contrast[:third], contrast[-third:] = -1 / third, 1 / third
    changes = blocks @ contrast
    change = float(changes.mean())
    length = float(contrast @ contrast)
    if runs >= TREND_RUNS.value:
        freedom, variance = runs - 1, float(changes.var(ddof=1))
    elif runs > 1:
        # What the runs do not share, whatever the shape of what they do.
        rest = blocks - blocks.mean(axis=1, keepdims=True) - blocks.mean(axis=0) + blocks.mean()
        freedom = (runs - 1) * (number - 1)
        variance = float((rest**2).sum()) / freedom * length
    else:
        rest = blocks - blocks.mean() - change * contrast / length
        freedom = number - 2
        variance = float((rest**2).sum()) / freedom * length
    error = sqrt(variance / runs)
    share = TREND_ERROR.value[max(least for least in TREND_ERROR.value if least < runs)]
    return change if abs(change) > t_critical(freedom, share / 2) * error else 0.0
