"""The executions of a level, reduced to what was measured: each is one unit of inference."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt
from statistics import median
from typing import TypeVar

from igen.failure import Failure
from igen.judge.record.histogram import Histogram, above
from igen.judge.record.recording import Recording, throughput_series, whole_intervals
from igen.judge.record.snapshot import Snapshot, Statistics, add
from igen.judge.record.value import LAST_FIFTH, STEADY_MEAN, Value
from igen.judge.result import AS_MEASURED, Correction, Resources
from igen.judge.run.offered import Offered, offered_of
from igen.judge.run.resources import Host, resources
from igen.judge.run.steady import Steadiness, steadiness
from igen.judge.trust.finding import Finding
from igen.judge.trust.rules.steady import COUNTED
from igen.units import NS_PER_S

K = TypeVar("K")
"""What is counted: a counter's name, or a failure."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeasuredRun:
    """The intervals that count, such as those after the warm-up was cut, and their sums.

    Throughput, mean times and counters are those of these intervals; percentiles, maximum and failures are
    those of all of MEASURE.
    """

    recording: Recording
    value: Value
    intervals: list[Snapshot]
    """Empty where nothing was measured."""
    cut_s: float
    shape: list[Finding]
    """What its throughput looks like; empty if it is flat. Of several loads that of all together: each of
    them has its own."""
    period_s: float | None
    """Length of a period of its throughput, such as that of checkpoints; None without one."""
    rest: list[Snapshot]
    """Whole intervals after the last whole period: they count where the warm-up was given."""
    transactions: Statistics
    whole: Statistics
    """All that ended in MEASURE, and what was in flight at its end, for at least as long as that took."""
    operations: dict[str, Statistics]
    operations_s: float
    """Length of the time in which they ended: that of the measured intervals, unless the agent tells so many
    operations that they are not in each snapshot."""
    whole_operations: dict[str, Statistics]
    targets: list[Statistics]
    """The transactions by target; empty where there is one."""
    counters: Counter[str]
    failures: Counter[Failure]
    """By reason, over all of MEASURE."""
    host: Host
    resources: Resources
    loads: dict[str, MeasuredRun] = field(default_factory=dict)
    """The same intervals of each of several loads alone; empty for a job with one load."""
    correction: Correction = AS_MEASURED
    """Factors of the throughput and the times that stand for the run; its counts are as they were."""
    measured_s: float = field(init=False)
    """Length of the measured intervals together."""
    offered: Offered | None = field(init=False)
    """What became of the arrivals; None for a closed load."""

    def __post_init__(self) -> None:
        """Compute the length of the intervals and what became of the arrivals, once."""
        object.__setattr__(self, "measured_s", sum(interval.length_s for interval in self.intervals))
        offered = offered_of(
            self.recording, self.intervals, self.transactions, self.resources, self.measured_s
        )
        object.__setattr__(self, "offered", offered)

    @property
    def each(self) -> dict[str, MeasuredRun]:
        """Each load by its name: this run, without a name, if it has one load."""
        return self.loads or {"": self}

    @property
    def is_flat(self) -> bool:
        """Whether its throughput and that of each load stays the same from begin to end."""
        return not self.shape and not any(part.shape for part in self.loads.values())

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
        """Successful transactions a second, as the study takes them; 0 if nothing was measured."""
        if not self.intervals:
            return 0.0
        if self.value == LAST_FIFTH:
            measured = median(_rates(self.intervals, self.recording.interval_s))
        else:
            measured = self.transactions.count / self.measured_s
        return measured * self.correction.throughput

    @property
    def uncut_throughput_per_s(self) -> float:
        """With nothing cut from the front."""
        end_s = self.intervals[-1].end_s if self.intervals else 0.0
        return self._throughput_of([each for each in whole_intervals(self.recording) if each.end_s <= end_s])

    @property
    def other_throughput_per_s(self) -> float:
        """With what follows the last whole period where that does not count, and without it where it does."""
        if not self.rest:
            return self.throughput_per_s
        if warm_up_is_given(self.recording):
            return self._throughput_of(self.intervals[: -len(self.rest)])
        return self._throughput_of([*self.intervals, *self.rest])

    def _throughput_of(self, intervals: Sequence[Snapshot]) -> float:
        """Return the throughput of other intervals of the run, at the same speed of the machine."""
        length_s = sum(interval.length_s for interval in intervals)
        count = sum(interval.transactions.count for interval in intervals)
        return count / length_s * self.correction.throughput if length_s else 0.0


def measure(recording: Recording, value: Value = STEADY_MEAN) -> MeasuredRun:
    """The part that counts of an execution that stands alone."""
    return measure_level([recording], value)[0]


def measure_level(recordings: Sequence[Recording], value: Value = STEADY_MEAN) -> list[MeasuredRun]:
    """Finds the part of MEASURE that counts, by one decision for all executions of a level, and adds it up.

    Judged and used are whole intervals; the shorter one at the end counts only where there is no other.
    """
    measured: dict[int, MeasuredRun] = {}
    # One decision holds for all executions, so their intervals are of the same length.
    joined = max((each.joined for each in recordings), default=1)
    for each in recordings:
        each.join(joined)
    for confirms in (False, True):
        # Runs that confirm a peak are judged apart from those that found it: only they count.
        places = [place for place, each in enumerate(recordings) if (each.purpose == "confirm") == confirms]
        judged = [recordings[place] for place in places]
        told = _steadiness(judged, value)
        names = judged[0].loads.names if judged else []
        of_loads = {name: _steadiness_of(name, judged, value, told) for name in names}
        for index, (place, stop) in enumerate(zip(places, told.stops, strict=True)):
            measured[place] = _measured(recordings[place], value, told, index, stop, of_loads)
    return [measured[place] for place in range(len(recordings))]


def measure_levels(recordings: Sequence[Recording], value: Value = STEADY_MEAN) -> list[list[MeasuredRun]]:
    """The runs of one curve by level, in ascending order of load."""
    by_load: dict[tuple[float, ...], list[Recording]] = defaultdict(list)
    for recording in recordings:
        by_load[recording.curve_place].append(recording)
    return [measure_level(by_load[place], value) for place in sorted(by_load)]


def floor_ns(floor: Recording) -> float | None:
    """Return the time per transaction and user of a workload that does nothing; None if it did nothing."""
    run = measure(floor)
    if run.throughput_per_s == 0:
        return None
    return NS_PER_S * (floor.users or 1) / run.throughput_per_s


def warm_up_is_given(recording: Recording) -> bool:
    """Whether the user said how long the warm-up is; else the judge cuts its rest and measures longer."""
    return not (recording.job.get("phases") or {}).get("extendable", False)


def _steadiness(recordings: Sequence[Recording], value: Value) -> Steadiness:
    if not recordings:
        return Steadiness()
    series = [throughput_series(recording) for recording in recordings]
    interval_s = recordings[0].interval_s
    if value == LAST_FIFTH:
        cuts = [_before_last_fifth(len(each)) for each in series]
        last = [each[cut:] for each, cut in zip(series, cuts, strict=True)]
        told = steadiness(last, may_cut=False, interval_s=interval_s, counted=_counted(recordings[0]))
        return replace(told, cut=min(cuts), stops=[len(each) for each in series])
    closed = all(recording.is_closed for recording in recordings)
    # A planned throughput does not warm up: what looks like it is a stall, whose customers waited.
    may_cut = closed and not any(warm_up_is_given(recording) for recording in recordings)
    return steadiness(series, may_cut=may_cut, interval_s=interval_s, counted=_counted(recordings[0]))


def _counted(recording: Recording) -> float:
    """By how many transactions neighbouring intervals differ because users are paced: each falls into one or
    into the next, by a phase of its own."""
    paced = [load.users or 0 for load in recording.loads if load.model == "paced"]
    return COUNTED.value * (1 + sqrt(sum(paced)))


def _steadiness_of(name: str, recordings: Sequence[Recording], value: Value, whole: Steadiness) -> Steadiness:
    """Return the shapes of one of several loads in the intervals that count of the whole: beside a larger
    load they do not show in the sum."""
    own = [recording.of_load(name) for recording in recordings]
    series = []
    for recording, stop in zip(own, whole.stops, strict=True):
        rates = throughput_series(recording)
        series.append(rates[_cut(len(rates), value, whole) : _end(recording, len(rates), stop)])
    first = own[0]
    told = steadiness(series, may_cut=False, interval_s=first.interval_s, counted=_counted(first))
    return replace(whole, shapes=told.shapes)


def _cut(intervals: int, value: Value, told: Steadiness) -> int:
    """The first interval that counts."""
    return told.cut if value == STEADY_MEAN else _before_last_fifth(intervals)


def _end(recording: Recording, intervals: int, stop: int) -> int:
    """The first interval that does not count any more, where whole periods end before `stop`: nothing is cut
    where the user said how long the warm-up is."""
    return intervals if warm_up_is_given(recording) else stop


def _before_last_fifth(intervals: int) -> int:
    return max(intervals - max(round(intervals / 5), 1), 0)


def _measured(
    recording: Recording,
    value: Value,
    told: Steadiness,
    place: int,
    stop: int,
    of_loads: Mapping[str, Steadiness] | None = None,
    host: Host | None = None,
) -> MeasuredRun:
    """`host` is what the machine did in that time, where it is known already."""
    whole = whole_intervals(recording)
    end = _end(recording, len(whole), stop)
    intervals = whole[_cut(len(whole), value, told) : end] or recording.measure
    start_s, end_s = (intervals[0].start_s, intervals[-1].end_s) if intervals else (0.0, 0.0)
    host = host or Host(recording, start_s, end_s)
    telling = _telling(recording.measure, start_s, end_s)
    names = dict.fromkeys(name for snapshot in recording.measure for name in snapshot.operations)
    nothing = Statistics()
    counted = {id(interval) for interval in intervals}
    rest = [interval for interval in recording.measure if id(interval) not in counted]
    told_operations = {id(snapshot) for snapshot in telling}
    other = [snapshot for snapshot in recording.measure if id(snapshot) not in told_operations]
    in_flight = [_in_flight(drain) for drain in recording.snapshots if drain.phase == "drain"]
    transactions = add(interval.transactions for interval in intervals)
    operations = {name: add(each.operations.get(name, nothing) for each in telling) for name in names}
    return MeasuredRun(
        recording=recording,
        value=value,
        intervals=intervals,
        cut_s=start_s - whole[0].start_s if whole else 0.0,
        shape=told.shapes[place],
        period_s=None if told.period is None else told.period * recording.interval_s,
        rest=whole[stop:],
        transactions=transactions,
        whole=add(
            [
                transactions,
                *(each.transactions for each in [*rest, *in_flight]),
                _unfinished(recording),
                _waiting(recording),
            ]
        ),
        operations=operations,
        operations_s=sum(each.operations_end_s - each.operations_start_s for each in telling),
        whole_operations={
            name: add([part, *(each.operations.get(name, nothing) for each in [*other, *in_flight])])
            for name, part in operations.items()
        },
        targets=[add(parts) for parts in zip(*(interval.targets for interval in intervals), strict=True)],
        counters=_sum(intervals, lambda interval: interval.counters),
        failures=_sum(recording.measure, lambda interval: interval.failures),
        host=host,
        resources=resources(host),
        # The same intervals count for each load.
        loads={
            name: _measured(recording.of_load(name), value, own, place, stop, host=host)
            for name, own in (of_loads or {}).items()
        },
    )


def _in_flight(drain: Snapshot) -> Snapshot:
    """What was in flight when MEASURE ended: what took longer than the drain until it ended there.

    The rest may have begun while the judge was asked whether that is enough.
    """
    longer_ns = drain.length_s * NS_PER_S

    def parts(all_: Statistics) -> Statistics:
        service_time = above(all_.service_time, longer_ns)
        late = all_.response_time is not all_.service_time
        response_time = above(all_.response_time, longer_ns) if late else service_time
        return Statistics(count=response_time.count, service_time=service_time, response_time=response_time)

    operations = {name: parts(part) for name, part in drain.operations.items()}
    return replace(drain, transactions=parts(drain.transactions), operations=operations)


def _unfinished(recording: Recording) -> Statistics:
    """Transactions that had not even ended when the drain was given up: at least as long as that took."""
    drains = [snapshot for snapshot in recording.snapshots if snapshot.phase == "drain"]
    if not drains or not recording.unfinished_users:
        return Statistics()
    times = Histogram.of([int(drains[-1].length_s * NS_PER_S)] * recording.unfinished_users)
    return Statistics(count=recording.unfinished_users, service_time=times, response_time=times)


def _waiting(recording: Recording) -> Statistics:
    """Arrivals that still waited for a free user when MEASURE ended: the last of them came just then."""
    last = recording.measure[-1:]
    if names := recording.loads.names:
        return add(_waiting(recording.of_load(name)) for name in names)
    waiting = last[0].arrivals.backlog if last and last[0].arrivals else 0
    if not waiting or not recording.offered_per_s:
        return Statistics()
    times = Histogram.of(
        [round(NS_PER_S * place / recording.offered_per_s) for place in range(1, waiting + 1)]
    )
    return Statistics(count=waiting, response_time=times)


def _telling(snapshots: list[Snapshot], start_s: float, end_s: float) -> list[Snapshot]:
    """Those whose operations ended between `start_s` and `end_s`; where none tells of such a time, those that
    tell of a longer one around it."""
    told = [each for each in snapshots if each.has_operations]
    inside = [each for each in told if each.operations_start_s >= start_s and each.operations_end_s <= end_s]
    return inside or [
        each for each in told if each.operations_start_s < end_s and each.operations_end_s > start_s
    ]


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


def _sum(intervals: list[Snapshot], counts: Callable[[Snapshot], Mapping[K, int]]) -> Counter[K]:
    total: Counter[K] = Counter()
    for interval in intervals:
        total.update(counts(interval))
    return total
