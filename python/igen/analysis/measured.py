"""One execution of a level, reduced to what was measured: the unit of inference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median

from igen.analysis.histogram import merge
from igen.analysis.recording import Recording, Snapshot, Statistics, throughput_series, whole_intervals
from igen.analysis.resources import Host, resources
from igen.analysis.result import Resources
from igen.analysis.steady import Steady, part_of
from igen.analysis.value import LAST_FIFTH, STEADY_MEAN, Value


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeasuredRun:
    """The intervals that count, such as those after the warm-up was cut, and their sums."""

    recording: Recording
    value: Value
    intervals: list[Snapshot]
    """Empty where nothing was measured."""
    cut_s: float
    steady: Steady
    transactions: Statistics
    operations: dict[str, Statistics]
    targets: list[Statistics]
    """The transactions by target; empty where there is one."""
    counters: Counter[str]
    failures: Counter[str]
    """By reason, over all of MEASURE: a crash in the part that was cut is no warm-up."""
    host: Host
    resources: Resources

    @property
    def measured_s(self) -> float:
        """Length of the measured intervals together."""
        return self.host.end_s - self.host.start_s

    @property
    def failed(self) -> int:
        """Failed transactions over all of MEASURE."""
        return sum(interval.transactions.failed for interval in self.recording.measure)

    @property
    def ended(self) -> int:
        """Transactions that ended in MEASURE, however they did."""
        return self.failed + sum(interval.transactions.count for interval in self.recording.measure)

    @property
    def throughput_per_s(self) -> float:
        """Successful transactions a second, as the study takes them; 0 where nothing was measured."""
        if self.value == LAST_FIFTH and self.intervals:
            return median(_rates(self.intervals, self.recording.interval_s))
        return self.transactions.count / self.measured_s if self.intervals else 0.0


def measure(recording: Recording, value: Value = STEADY_MEAN) -> MeasuredRun:
    """Finds the part of MEASURE that counts and adds it up.

    Judged and used are whole intervals; the shorter one at the end counts only where there is no other.
    """
    whole = whole_intervals(recording)
    steady = part_of(throughput_series(recording), value, planned=recording.load_model != "closed")
    intervals = whole[steady.cut : steady.stop] or recording.measure
    start_s, end_s = (intervals[0].start_s, intervals[-1].end_s) if intervals else (0.0, 0.0)
    host = Host(recording, start_s, end_s)
    names = dict.fromkeys(name for interval in intervals for name in interval.operations)
    nothing = Statistics()
    return MeasuredRun(
        recording=recording,
        value=value,
        intervals=intervals,
        cut_s=start_s - whole[0].start_s if whole else 0.0,
        steady=steady,
        transactions=add(interval.transactions for interval in intervals),
        operations={
            name: add(interval.operations.get(name, nothing) for interval in intervals) for name in names
        },
        targets=[add(parts) for parts in zip(*(interval.targets for interval in intervals), strict=True)],
        counters=_sum(intervals, lambda interval: interval.counters),
        failures=_sum(recording.measure, lambda interval: interval.failures),
        host=host,
        resources=resources(host),
    )


def add(parts: Iterable[Statistics]) -> Statistics:
    """Everything of all parts, histograms merged."""
    parts = list(parts)
    service_time = merge(part.service_time for part in parts)
    late = any(part.response_time is not part.service_time for part in parts)
    return Statistics(
        count=sum(part.count for part in parts),
        failed=sum(part.failed for part in parts),
        service_time=service_time,
        response_time=merge(part.response_time for part in parts) if late else service_time,
        failed_time=merge(part.failed_time for part in parts),
    )


def _rates(intervals: list[Snapshot], planned_s: float) -> list[float]:
    """Transactions a second in each interval; one of less than half its length is counted with the next.

    Where the load keeps all processors busy a look at the counts may come later than its time stamp, and the
    next one soon after it: only both together tell a rate.
    """
    rates, count, length_s = [], 0, 0.0
    for each in intervals:
        count, length_s = count + each.transactions.count, length_s + each.length_s
        if length_s >= planned_s / 2:
            rates.append(count / length_s)
            count, length_s = 0, 0.0
    return rates or [count / length_s]


def _sum(intervals: list[Snapshot], counts: Callable[[Snapshot], dict[str, int]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for interval in intervals:
        total.update(counts(interval))
    return total
