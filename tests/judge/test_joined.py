"""Executions of any length: a bounded number of intervals and readings is kept, and no sum changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from igen.failure import Failure
from igen.judge.record import recording as module
from igen.judge.record.form import Arrivals
from igen.judge.record.histogram import merge
from igen.judge.record.recording import Recording, add_events
from igen.judge.record.snapshot import Snapshot, Statistics, add
from igen.judge.run.measured import measure, measure_level
from igen.judge.trust.damage import damage
from tests.judge.synthetic import MEASURE_BEGIN_S, events, readings, recording, snapshot, statistics

MOST = 16
FAILURE = Failure("other", "", "locked")


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bound executions early, and read a few events at once."""
    monkeypatch.setattr(module, "MOST_INTERVALS", MOST)
    monkeypatch.setattr(module, "_BATCH", 7)


SEVERAL = {"personas": {"clerk": {"load": {"closed": {"users": 1}}}}}


def interval(index: int, **rest: Any) -> Snapshot:
    """An interval in which everything differs from the other intervals."""
    n = index + 10
    parts: dict[str, Any] = {
        "operations": {"select": statistics(n % 5, 1.0 + n % 3)},
        "counters": {"rows": n},
        "failures": Counter({FAILURE: 1 + n % 3}),
        "arrivals": Arrivals(due=10 + n, started=9 + n, unsent=n % 2, backlog=n),
        "think_time_s": 0.25 * n,
        "targets": [statistics(n, 2.0), statistics(2 * n, 3.0)],
        "loads": {"clerk": snapshot(index, statistics(n, 4.0))},
    }
    return snapshot(index, statistics(100 + n, 5.0, 9.0, failed=n % 4), **(parts | rest))


def long(number: int, **rest: Any) -> Recording:
    intervals = [
        *(interval(i, phase="warmup") for i in range(-5, 0)),
        *(interval(i) for i in range(number)),
        interval(number, phase="drain"),
    ]
    made = recording(snapshots=intervals, job=SEVERAL, **rest)
    made.readings.update(readings("cpu", {"user_s": 0.5}, seconds=number))
    return made


def read(made: Recording, *cuts: int) -> Recording:
    """Return what is read of its events, all at once or in pieces."""
    told = events(made)
    found = Recording()
    ends = [0, *cuts, len(told)]
    for begin, end in pairwise(ends):
        add_events(found, enumerate(told[begin:end], begin + 1))
    return found


def same(parts: Iterable[Statistics], others: Iterable[Statistics]) -> bool:
    a, b = add(parts), add(others)
    times = [
        (getattr(a, name), getattr(b, name)) for name in ("service_time", "response_time", "failed_time")
    ]
    alike = all(
        np.array_equal(x.buckets, y.buckets) and np.array_equal(x.counts, y.counts) and x.sum_ns == y.sum_ns
        for x, y in times
    )
    return alike and (a.count, a.failed) == (b.count, b.failed)


@pytest.mark.parametrize("number", [3, 10, 17, 40, 100, 333])
def test_their_number_is_bounded_and_their_sums_are_the_same(number: int) -> None:
    made = long(number)
    found = read(made)
    assert len(found.snapshots) <= MOST
    assert len(found.readings["cpu", ""]) <= MOST
    assert found.joined == 1 or 2 * len(found.snapshots) > MOST
    assert found.interval_s == found.joined
    for phase in ("warmup", "measure", "drain"):
        told = [each for each in made.snapshots if each.phase == phase]
        kept = [each for each in found.snapshots if each.phase == phase]
        assert (kept[0].start_s, kept[-1].end_s) == (told[0].start_s, told[-1].end_s)
        assert all(before.end_s == after.start_s for before, after in pairwise(kept))
        assert all(each.length_s == found.joined for each in kept[:-1])
        assert same((each.transactions for each in kept), (each.transactions for each in told))
        for index in (0, 1):
            assert same((each.targets[index] for each in kept), (each.targets[index] for each in told))
        assert sum(each.counters["rows"] for each in kept) == sum(each.counters["rows"] for each in told)
        operations = [[each.operations["select"] for each in of] for of in (kept, told)]
        assert same(*operations)
        clerks = [[each.loads["clerk"].transactions for each in of] for of in (kept, told)]
        assert same(*clerks)
        assert sum((each.failures for each in kept), Counter()) == sum(
            (each.failures for each in told), Counter()
        )
        assert sum(each.think_time_s for each in kept) == sum(each.think_time_s for each in told)
        arrivals = [[each.arrivals for each in of if each.arrivals] for of in (kept, told)]
        for name in ("due", "started", "unsent"):
            assert sum(getattr(each, name) for each in arrivals[0]) == sum(
                getattr(each, name) for each in arrivals[1]
            )
        assert arrivals[0][-1].backlog == arrivals[1][-1].backlog


@pytest.mark.parametrize("cuts", [(1,), (50, 51), (20, 40, 60, 80, 100, 120)])
def test_events_that_come_in_pieces_give_the_same_intervals(cuts: tuple[int, ...]) -> None:
    whole, pieces = read(long(100)), read(long(100), *cuts)
    places = [
        [(each.phase, each.start_s, each.end_s, each.transactions.count) for each in of.snapshots]
        for of in (whole, pieces)
    ]
    assert places[0] == places[1]
    assert whole.joined == pieces.joined
    assert whole.readings == pieces.readings


def test_missing_time_stays_visible() -> None:
    intervals = [interval(i) for i in range(100)]
    del intervals[41:44]
    found = read(recording(snapshots=intervals, job=SEVERAL))
    assert len(found.snapshots) <= MOST
    (finding,) = damage(measure(found))
    told = {part.name: part.figure for part in finding.parts}
    assert told["missing_s"] == 3
    assert told["first_missing_s"] == intervals[40].end_s


def test_intervals_that_never_touch_are_all_kept() -> None:
    intervals = [interval(i) for i in range(0, 100, 2)]
    found = read(recording(snapshots=intervals, job=SEVERAL))
    assert len(found.snapshots) == len(intervals)
    assert found.joined == 1


def test_lists_of_operations_that_are_not_in_each_interval_keep_their_time() -> None:
    """A list in every third interval covers three intervals; the last two intervals have no list."""
    intervals = [
        snapshot(
            i,
            statistics(100, 5.0),
            operations={"select": statistics(30, 1.0)} if i % 3 == 2 else {},
            operations_since_s=snapshot(i - 2, Statistics()).start_s if i % 3 == 2 else None,
        )
        for i in range(104)
    ]
    made = recording(snapshots=intervals, job={"phases": {"interval_s": 1, "measure_s": 104}})
    found = measure(read_plain(made))
    assert found.recording.joined > 1
    assert found.operations["select"].count == 34 * 30
    assert found.operations_s == pytest.approx(102)
    assert found.whole_operations["select"].count == 34 * 30


def read_plain(made: Recording) -> Recording:
    """Return a recording of the same intervals that was bounded."""
    found = replace(made, snapshots=list(made.snapshots))
    found.bound()
    return found


def test_executions_of_a_level_are_judged_on_intervals_of_the_same_length() -> None:
    short, other = (read(long(number, repeat=repeat)) for repeat, number in enumerate((9, 100)))
    assert short.joined < other.joined
    runs = measure_level([short, other])
    assert [each.recording.joined for each in runs] == [other.joined] * 2
    times = [each.whole.response_time for each in runs]
    assert merge(times).count == sum(each.count for each in times)


def test_counters_grow_as_fast_as_before() -> None:
    found = measure(read(long(333)))
    assert found.host.per_s("cpu", "user_s") == pytest.approx(0.5)


@pytest.mark.parametrize("hdr", [{}, [1], 7])
def test_a_payload_that_is_no_text_is_damage(hdr: Any) -> None:
    told = events(recording([100] * 3))
    place = next(index for index, event in enumerate(told) if "snapshot" in event)
    told[place]["snapshot"]["transactions"]["service_time"]["hdr"] = hdr
    found = Recording()
    add_events(found, enumerate(told, 1))
    assert len(found.damage) == 1
    assert len(found.snapshots) == 2


def test_times_beyond_all_numbers_join_nothing() -> None:
    told = events(long(100))
    for event in told:
        if "snapshot" in event and event["snapshot"]["start_s"] == MEASURE_BEGIN_S + 50:
            event["snapshot"] |= {"start_s": 1e308, "end_s": 1e308}
    found = Recording()
    add_events(found, enumerate(told, 1))
    assert found.joined > 1


def test_times_that_are_no_numbers_are_damage() -> None:
    told = events(long(100))
    for event in told:
        for of in ("snapshot", "reading"):
            if of in event and told.index(event) % 11 == 0:
                event[of]["at_s" if of == "reading" else "start_s"] = "soon"
    found = Recording()
    add_events(found, enumerate(told, 1))
    assert len(found.damage) == sum("soon" in str(event) for event in told) > 3
    assert found.joined > 1
