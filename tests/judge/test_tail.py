"""How many independent values a 99th percentile rests on, and what the report says of one with few."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec import structs

from igen.judge.record.histogram import Histogram, from_bucket_of
from igen.judge.record.recording import Recording
from igen.judge.run.measured import measure
from igen.judge.run.tail import PARTS, independent_tail
from igen.judge.trust.rules.statistics import INDEPENDENT_TAIL
from tests.judge.synthetic import histogram, one_system, recording, snapshot, statistics

INTERVALS, EACH = 50, 1000
SHORT_NS, LONG_NS = 1_000_000, 100_000_000


def run_with(long_ones: list[int]) -> Recording:
    """A run of 1,000 transactions a second, so many of which are long."""
    intervals = []
    for index, number in enumerate(long_ones):
        times = histogram([SHORT_NS] * (EACH - number) + [LONG_NS] * number)
        intervals.append(
            snapshot(index, structs.replace(statistics(EACH, 1.0), service_time=times, response_time=times))
        )
    return recording(snapshots=intervals)


def test_values_that_come_one_by_one_all_count() -> None:
    random = np.random.default_rng(1)
    runs = [measure(run_with(random.poisson(12, INTERVALS).tolist())) for _ in range(5)]
    assert independent_tail(runs) > 0.6 * 12 * INTERVALS * 5


@pytest.mark.parametrize("at", [0, 24, 49])
def test_values_that_come_together_count_as_few(at: int) -> None:
    """Early, in the middle and late: a second in each run in which most are long."""
    at_once = [600 if index == at else 0 for index in range(INTERVALS)]
    runs = [measure(run_with(at_once)) for _ in range(5)]
    assert independent_tail(runs) < 1.01 * 5 * PARTS / (PARTS - 1)


def test_runs_that_differ_count_as_few() -> None:
    """All long ones in one of five runs."""
    runs = [measure(run_with([60 if run == 2 else 0] * INTERVALS)) for run in range(5)]
    assert independent_tail(runs) < INDEPENDENT_TAIL.value


def test_a_percentile_of_few_moments_is_called_unstable() -> None:
    spread = one_system([run_with([12] * INTERVALS) for _ in range(1)]).levels[0].response_time_ms
    at_once = [600 if index % 25 == 3 else 0 for index in range(INTERVALS)]
    together = one_system([run_with(at_once)]).levels[0].response_time_ms
    assert spread is not None
    assert together is not None
    assert (spread.p99_unstable, together.p99_unstable) == (False, True)
    assert spread.p99 == pytest.approx(together.p99), "the same percentile"


def test_nothing_measured_is_nothing() -> None:
    empty = recording(snapshots=[snapshot(0, statistics(0, 1.0))])
    assert independent_tail([measure(empty)]) == 0.0


def test_values_from_a_bucket_on() -> None:
    parts = [Histogram.of([10, 200, 300]), Histogram(), Histogram.of([300, 300])]
    assert from_bucket_of(parts, 200).tolist() == [2, 0, 2]
    assert from_bucket_of(parts, 301).tolist() == [1, 0, 2], "300 and 301 are in one bucket"
    assert from_bucket_of(parts, 302).tolist() == [0, 0, 0]
