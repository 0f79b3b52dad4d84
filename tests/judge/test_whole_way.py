"""From the lines that an agent writes to the level that a report shows, where the truth is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from igen.judge import analyse
from igen.judge.figure.figure import Figure, Times
from igen.judge.record.form import Arrivals
from igen.judge.record.recording import Recording, recording_from_events
from igen.judge.record.snapshot import Statistics
from igen.judge.result import Level
from igen.judge.trust.finding import Runs
from tests.judge.synthetic import events, histogram, recording, snapshot, statistics
from tests.said import note_rules, rules

AUTO = {"phases": {"extendable": True, "measure_s": 10.0, "interval_s": 1.0}}
GIVEN = {"phases": {"extendable": False, "measure_s": 10.0, "interval_s": 1.0}}
USERS = 4


def level_of(*recordings: Recording) -> Level:
    """The whole way."""
    (system,) = analyse(recording_from_events(events(each), each.job_file) for each in recordings)
    (level,) = system.levels
    return level


def stalled(begin: int, repeat: int, job: dict[str, Any], seed: int = 1) -> Recording:
    """4 users at 100/s each, 50 intervals of 1 s; nothing moves for 5 s, and who waited, waited so long."""
    random = np.random.default_rng(seed + repeat)
    intervals = []
    for second in range(50):
        count = round(400 * (1 + 0.01 * random.standard_normal()))
        if begin <= second < begin + 5:
            intervals.append(snapshot(second, statistics(0, 10.0), users=USERS))
            continue
        times = np.full(count, 10_000_000)
        if second == begin + 5:
            times[:USERS] = 5_000_000_000
        timed = histogram(times)
        intervals.append(
            snapshot(second, Statistics(count=count, service_time=timed, response_time=timed), users=USERS)
        )
    return recording(snapshots=intervals, users=USERS, repeat=repeat, job=job)


@pytest.mark.parametrize("job", [AUTO, GIVEN], ids=["automatic", "given"])
def test_a_stall_is_never_a_warm_up(job: dict[str, Any]) -> None:
    """The same outage early and late: the same throughput, the same longest time, and both are found."""
    levels = [level_of(*(stalled(begin, repeat, job) for repeat in range(5))) for begin in (0, 12, 37)]
    for level in levels:
        assert level.throughput_per_s.value == pytest.approx(0.9 * 400, rel=0.01)
        assert level.response_time_ms is not None
        assert level.response_time_ms.max == pytest.approx(5000, rel=0.01)
        assert level.trust.verdict == "SUSPECT"
        (outage,) = (each for each in level.findings if each.rule == "outage")
        assert (outage.row.grade, outage.runs) == ("SUSPECT", Runs(number=5, of=5))
        assert level.warm_up is not None
        assert (level.warm_up.cut_s, level.warm_up.given) == (0, job is GIVEN)


def approaching(repeat: int, job: dict[str, Any]) -> Recording:
    """20 % too slow at first, with a time constant of 4 s; times are long while it is slow."""
    random = np.random.default_rng(repeat)
    speed = 1 - 0.2 * np.exp(-(np.arange(50) + 0.5) / 4)
    counts = (1000 * speed * (1 + 0.02 * random.standard_normal(50))).round().astype(int)
    return recording(counts.tolist(), users=USERS, repeat=repeat, job=job)


def test_an_approach_is_cut_by_one_decision_and_what_it_changed_is_told() -> None:
    level = level_of(*(approaching(repeat, AUTO) for repeat in range(5)))
    assert level.trust.verdict == "VALID", rules(level)
    assert len({repeat.cut_s for repeat in level.repeats}) == 1
    assert level.warm_up is not None
    assert not level.warm_up.given
    assert level.warm_up.cut_s >= 6
    assert level.throughput_per_s.value == pytest.approx(1000, rel=0.006)
    assert level.warm_up.uncut_throughput_per_s == pytest.approx(984, rel=0.006)
    (note,) = (each for each in level.findings if each.rule == "warm-up-cut")
    assert note.figure("cut_s") == level.warm_up.cut_s
    assert note.figure("change_percent") == pytest.approx(-1.6, abs=0.6)
    assert level.response_time_ms is not None
    assert level.response_time_ms.max == pytest.approx(4 / 1000 / 0.823 * 1e3, rel=0.06), "of all of MEASURE"


def test_of_a_warm_up_that_was_given_nothing_is_cut() -> None:
    level = level_of(*(approaching(repeat, GIVEN) for repeat in range(5)))
    assert level.throughput_per_s.value == pytest.approx(984, rel=0.006)
    assert {repeat.cut_s for repeat in level.repeats} == {0.0}
    assert "warm-up-cut" not in note_rules(level)
    assert level.trust.verdict == "SUSPECT"
    (cause,) = level.trust.disturbance.causes
    assert cause.rule == "trend", "all runs have the same warm-up"


def test_what_was_in_flight_at_the_end_is_counted_for_at_least_as_long() -> None:
    """Nothing moves from 0.5 s before the end on; four answers come 0.7 s after it, 1.2 s old."""
    late = histogram(np.array([1_200_000_000] * USERS + [10_000_000] * 30))
    drain = snapshot(
        10, Statistics(count=USERS + 30, service_time=late, response_time=late), phase="drain", users=USERS
    )
    intervals = [snapshot(i, statistics(390, 10.0), users=USERS) for i in range(10)]
    level = level_of(recording(snapshots=[*intervals, drain], users=USERS))
    assert level.response_time_ms is not None
    assert level.response_time_ms.max == pytest.approx(1200, rel=0.01)
    assert level.response_time_ms.p999 == pytest.approx(1200, rel=0.01), "4 of 3,904"
    assert level.transactions == 3900, "those that ended in time"
    assert level.response_time_ms.mean == pytest.approx(10), "as the throughput"


def test_what_never_ended_is_counted_for_as_long_as_was_waited() -> None:
    drain = snapshot(10, Statistics(), phase="drain", users=USERS)
    intervals = [snapshot(i, statistics(400, 10.0), users=USERS) for i in range(10)]
    level = level_of(
        *(
            recording(snapshots=[*intervals, drain], users=USERS, unfinished_users=2, repeat=repeat)
            for repeat in range(2)
        )
    )
    assert level.response_time_ms is not None
    assert level.response_time_ms.max == pytest.approx(1000, rel=0.01)
    assert (level.trust.throughput, level.trust.times) == ("VALID", "SUSPECT")


def test_arrivals_that_still_waited_are_counted() -> None:
    """100/s; the system stands still in the last second, and 100 arrivals have waited 0 to 1 s."""
    intervals = [
        snapshot(i, statistics(100, 1.0), arrivals=Arrivals(due=100, started=100, unsent=0, backlog=0))
        for i in range(9)
    ]
    stopped = Arrivals(due=100, started=0, unsent=0, backlog=100)
    made = [*intervals, snapshot(9, statistics(0, 1.0), arrivals=stopped)]
    level = level_of(recording(snapshots=made, load={"open": {"rate_per_s": 100.0, "users": 4}}))
    assert level.response_time_ms is not None
    assert level.response_time_ms.p95 == pytest.approx(500, rel=0.02)
    assert level.service_time_ms is not None
    assert level.service_time_ms.max == pytest.approx(1, rel=0.01)


def estimates(times: Times | None) -> list[tuple[float, Figure]]:
    if times is None:
        return []
    pairs = [(times.mean, times.mean_interval), (times.p99, times.p99_interval)]
    return [(value, interval) for value, interval in pairs if interval]


runs_strategy = st.lists(
    st.tuples(st.integers(1, 3000), st.floats(0.001, 5000), st.integers(1, 2000)), min_size=1, max_size=8
)


@settings(max_examples=40, deadline=None)
@given(runs_strategy)
def test_every_value_lies_in_its_interval_and_parts_add_up(runs: list[tuple[int, float, int]]) -> None:
    made = []
    for repeat, (count, time_ms, slower) in enumerate(runs):
        part = statistics(count, time_ms)
        intervals = [
            snapshot(i, part, users=2, operations={"a": part, "b": statistics(2 * count, time_ms / 2)})
            for i in range(8)
        ]
        intervals[3] = snapshot(
            3,
            statistics(slower, time_ms * 10),
            users=2,
            operations={"a": statistics(slower, 1), "b": statistics(2 * slower, 1)},
        )
        made.append(recording(snapshots=intervals, users=2, repeat=repeat))
    level = level_of(*made)
    parts = [each.response_time_ms for each in level.operations.values()]
    found = [
        pair for times in (level.response_time_ms, level.service_time_ms, *parts) for pair in estimates(times)
    ]
    found.append((level.throughput_per_s.value, level.throughput_per_s))
    for value, interval in found:
        assert interval.low is None or interval.low <= value <= (interval.high or 0)
        assert interval.low is None or interval.low >= 0
    if len(level.repeats) == 1:
        assert level.throughput_per_s.low is None
        assert level.response_time_ms is not None
        assert level.response_time_ms.mean_interval is None
    assert level.operations["a"].per_s == pytest.approx(level.throughput_per_s.value)
    assert level.operations["b"].per_s == pytest.approx(2 * level.throughput_per_s.value)


def test_times_are_on_logarithms_and_never_reach_zero() -> None:
    level = level_of(*(recording([round(1000 / t)] * 10, repeat=i) for i, t in enumerate((1, 8, 90))))
    assert level.response_time_ms is not None
    interval = level.response_time_ms.mean_interval
    assert interval is not None
    assert interval.low is not None
    assert interval.low > 0
    assert interval.value == level.response_time_ms.mean == pytest.approx((1 * 8 * 90) ** (1 / 3), rel=0.02)


def test_runs_in_two_groups_are_noted() -> None:
    """The interval of ± 15 % contains both; a reader should know that no run was near the mean."""
    counts = [1000, 1003, 998, 801, 799]
    level = level_of(*(recording([count] * 10, repeat=i) for i, count in enumerate(counts)))
    (found,) = (each for each in level.findings if each.rule == "two-groups")
    assert (found.figure("runs_low"), found.figure("runs_high")) == (2, 3)
    assert found.figure("near_low_per_s") == pytest.approx(800)
    assert found.figure("near_high_per_s") == pytest.approx(1000, rel=0.001)
    assert level.throughput_per_s.half() == pytest.approx(0.15, abs=0.01)
    assert level.trust.verdict == "VALID"


def test_runs_that_differ_so_much_that_their_mean_is_of_no_use_are_suspect() -> None:
    """The same two groups twice as far apart: -29 to +42 %."""
    counts = [1000, 1003, 998, 601, 599]
    level = level_of(*(recording([count] * 10, repeat=i) for i, count in enumerate(counts)))
    assert rules(level) == ["wide-interval"]
    (found,) = (each for each in level.findings if each.rule == "wide-interval")
    assert found.figure("half_percent") == pytest.approx(41.6, abs=0.1)
    assert (found.limit, found.quantity) == (20, "")
    assert (level.trust.throughput, level.trust.times) == ("SUSPECT", "SUSPECT")


def test_runs_are_rarely_in_two_groups_by_chance() -> None:
    from igen.judge.trust.groups import two_groups

    random = np.random.default_rng(2)
    for runs in (3, 5, 8, 10):
        found = [any(two_groups(100 + 5 * random.standard_normal(runs))) for _ in range(400)]
        assert np.mean(found) <= 0.06


@pytest.mark.parametrize(("repeats", "verdict"), [(1, "ONE RUN"), (2, "VALID"), (3, "VALID")])
def test_one_run_has_no_interval_and_the_verdict_says_so(repeats: int, verdict: str) -> None:
    level = level_of(*(recording([1000 + repeat] * 10, repeat=repeat) for repeat in range(repeats)))
    assert level.trust.verdict == verdict
    assert rules(level) == ["one-run"] * (repeats == 1)
    assert (level.throughput_per_s.low is None) == (repeats == 1)
    assert {repeat.trust.verdict for repeat in level.repeats} == {"VALID"}, "each is what was asked for"
