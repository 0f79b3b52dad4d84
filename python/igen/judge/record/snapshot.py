"""Intervals of an execution, and neighbours of them as one interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest

from msgspec import Struct

from igen.failure import Failure
from igen.judge.record.form import Arrivals
from igen.judge.record.histogram import NO_TIMES, Histogram, merge
from igen.judge.trust.rules.recording import SAME_MOMENT_S

DRAIN = "drain"


class Statistics(Struct, frozen=True, kw_only=True, eq=False, gc=False):
    """Transactions or operations of one interval; failed ones are timed apart."""

    count: int = 0
    failed: int = 0
    service_time: Histogram = NO_TIMES
    response_time: Histogram = NO_TIMES
    """The service time itself where the agent sent no other."""
    failed_time: Histogram = NO_TIMES


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One interval."""

    phase: str
    start_s: float
    end_s: float
    users: int
    transactions: Statistics
    operations: dict[str, Statistics]
    counters: dict[str, int]
    failures: Counter[Failure]
    arrivals: Arrivals | None
    operations_since_s: float | None = None
    """Begin of the time that `operations` cover, where it is not the interval's own: long lists are not in
    each snapshot."""
    operations_until_s: float | None = None
    """End of that time, if it is not the interval's own: the last of several joined intervals had no list."""
    think_time_s: float = 0.0
    """Think time of all users that ended in the interval."""
    targets: list[Statistics] = field(default_factory=list)
    """The transactions by target, in the order of the job's; empty where there is one."""
    loads: dict[str, Snapshot] = field(default_factory=dict)
    """What each of several loads did in the same interval; all else is their sum."""

    @property
    def length_s(self) -> float:
        """How long the interval was."""
        return self.end_s - self.start_s

    @property
    def has_operations(self) -> bool:
        """True if the agent listed the operations, which may be empty."""
        return bool(self.operations) or self.operations_since_s is not None

    @property
    def operations_start_s(self) -> float:
        """Start of the time that `operations` cover."""
        return self.start_s if self.operations_since_s is None else self.operations_since_s

    @property
    def operations_end_s(self) -> float:
        """End of the time that `operations` cover."""
        return self.end_s if self.operations_until_s is None else self.operations_until_s


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


def on_grid(snapshots: Sequence[Snapshot], length_s: float) -> list[Snapshot]:
    """Join neighbours that lie in the same cell of a grid, which starts with each phase.

    Intervals between which time is missing stay apart. What is on a grid stays as it is on that grid, and
    is joined on one of twice the length as the intervals themselves would be. Those of DRAIN stay as they
    are: what was in flight when MEASURE ended is known by their lengths.
    """
    groups: list[list[Snapshot]] = []
    phase, begin_s, last_cell = "", 0.0, -1.0
    for each in snapshots:
        if each.phase != phase:
            phase, begin_s, last_cell = each.phase, each.start_s, -1.0
        cell = ((each.start_s + each.end_s) / 2 - begin_s) // length_s
        touches = bool(groups) and abs(each.start_s - groups[-1][-1].end_s) <= SAME_MOMENT_S.value
        if touches and cell == last_cell and each.phase != DRAIN:
            groups[-1].append(each)
        else:
            groups.append([each])
        last_cell = cell
    return [_joined(group) if len(group) > 1 else group[0] for group in groups]


def _joined(parts: Sequence[Snapshot]) -> Snapshot:
    """Return neighbours as one interval."""
    first, last = parts[0], parts[-1]
    listing = [each for each in parts if each.has_operations]
    is_whole = len(listing) == len(parts) and first.operations_since_s is None
    arrivals = [each.arrivals for each in parts if each.arrivals]
    counters: Counter[str] = Counter()
    failures: Counter[Failure] = Counter()
    for each in parts:
        counters.update(each.counters)
        failures.update(each.failures)
    return Snapshot(
        phase=first.phase,
        start_s=first.start_s,
        end_s=last.end_s,
        users=last.users,
        transactions=add(each.transactions for each in parts),
        operations={
            name: add(each.operations[name] for each in listing if name in each.operations)
            for name in _names(each.operations for each in listing)
        },
        counters=dict(counters),
        failures=failures,
        arrivals=_sum_of(arrivals) if arrivals else None,
        operations_since_s=listing[0].operations_start_s if listing and not is_whole else None,
        operations_until_s=listing[-1].operations_end_s if listing and not is_whole else None,
        think_time_s=sum(each.think_time_s for each in parts),
        targets=[
            add(each) for each in zip_longest(*(each.targets for each in parts), fillvalue=Statistics())
        ],
        loads={
            name: _joined([each.loads[name] for each in parts if name in each.loads])
            for name in _names(each.loads for each in parts)
        },
    )


def _names(of_parts: Iterable[Iterable[str]]) -> Iterable[str]:
    """Return each name once, in the order in which they come first."""
    return dict.fromkeys(chain.from_iterable(of_parts))


def _sum_of(arrivals: Sequence[Arrivals]) -> Arrivals:
    return Arrivals(
        due=sum(each.due for each in arrivals),
        started=sum(each.started for each in arrivals),
        unsent=sum(each.unsent for each in arrivals),
        backlog=arrivals[-1].backlog,
    )
