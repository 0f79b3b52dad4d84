"""A driver that starts late: a bound on response times, and no verdict."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from igen.judge import analyse
from igen.judge.compare.compare import compare
from igen.judge.record.form import Arrivals
from igen.judge.record.recording import Recording
from igen.judge.record.snapshot import Statistics
from igen.judge.trust.disturbance import Bound
from igen.judge.trust.usable import has_exact_times
from igen.loads import THROUGHPUT
from tests.judge.hosts import on_host
from tests.judge.synthetic import histogram, one_system, recording, snapshot, statistics
from tests.judge.test_price import causes, opened, price


@pytest.mark.parametrize(
    ("load", "late"),
    [({}, True), ({"users": 50}, True), ({"users": 50, "backlog": 3}, True), ({"users": 1}, False)],
)
def test_late_starts_are_the_drivers_where_users_are_free(load: dict[str, Any], late: bool) -> None:
    found = causes(opened(1.0, 1.5, **load))
    assert ("late-starts" in found) == late
    if late:
        throughput, times = found["late-starts"]
        assert throughput == Bound()
        assert times.low_percent == pytest.approx(-100 / 3, rel=0.01)


def test_waiting_behind_a_stall_is_not_the_drivers() -> None:
    """One second of ten in which nothing ended: 20 users had one transaction each, 500 arrivals waited."""
    random = np.random.default_rng(5)
    service = np.full(5000, 1e6)
    service[:20] = 1e9
    response = service.copy()
    response[20:520] += 1e9 * random.random(500)
    times = Statistics(count=5000, service_time=histogram(service), response_time=histogram(response))
    arrivals = Arrivals(due=500, started=500, unsent=0, backlog=250)
    intervals = [snapshot(i, Statistics() if i else times, arrivals=arrivals) for i in range(10)]
    made = recording(snapshots=intervals, load={"open": {"rate_per_s": 500.0, "users": 20}})
    assert "late-starts" not in causes(made)


def test_lateness_is_told_of_those_who_found_a_free_user() -> None:
    """199 of 200 waited for a user, in the system's time: *1.35 ms late (p99 0 ns)* mixed both."""
    arrivals = Arrivals(due=100, started=100, unsent=0, backlog=5)
    intervals = [snapshot(i, statistics(100, 99.5, 119.5), arrivals=arrivals) for i in range(10)]
    made = recording(snapshots=intervals, load={"open": {"rate_per_s": 100.0, "users": 10}})
    (cause,) = price(made).causes
    assert cause.finding.figure("free_percent") == pytest.approx(0.5, abs=0.005)
    assert cause.finding.figure("late_ms") == pytest.approx(20, abs=1)
    assert cause.finding.figure("late_p99_ms") == pytest.approx(20, abs=1)


def test_a_paced_user_that_is_ready_in_time_is_free() -> None:
    def paced(service_ms: float) -> Recording:
        intervals = [snapshot(i, statistics(100, service_ms, service_ms * 1.5)) for i in range(10)]
        return recording(snapshots=intervals, load={"paced": {"users": 10, "rate_per_user_per_s": 10.0}})

    assert causes(paced(20.0)).keys() == {"late-starts"}
    assert causes(paced(120.0)) == {}


def several(response_ms: float, repeats: int = 3) -> list[Recording]:
    """Runs of 0.2 ms of service whose starts are as late as that leaves."""
    return [replace(opened(0.2, response_ms, users=50), repeat=repeat) for repeat in range(repeats)]


def test_late_wake_ups_are_a_bound_of_the_response_time() -> None:
    """1.2 ms late on 0.2 ms of service: the true response time lies between 0.2 and 1.4 ms."""
    (level,) = one_system(several(1.4)).levels
    least, measured = level.least_response_time_ms, level.response_time_ms
    assert least
    assert measured
    assert (least.mean, measured.mean) == pytest.approx((0.2, 1.4), rel=0.01)
    assert (least.p99, measured.p99) == pytest.approx((0.2, 1.4), rel=0.01)
    assert level.trust.disturbance.times.low_percent == pytest.approx(-100 * 1.2 / 1.4, rel=0.01)
    assert not has_exact_times(level), "no knee and no change in a history is claimed from it"


@pytest.mark.parametrize(
    ("response_ms", "times", "said"),
    [
        (0.2009, "VALID", []),
        (0.21, "VALID", ["times-between"]),
        (0.245, "VALID", ["times-between"]),
        (0.26, "SUSPECT", ["late-times"]),
        (20.0, "SUSPECT", ["late-times"]),
    ],
)
def test_late_starts_make_times_suspect_if_they_are_large_and_never_invalid(
    response_ms: float, times: str, said: list[str]
) -> None:
    """From 1 % of the response time on a reader should know both figures; beyond 20 % neither is of use."""
    (level,) = one_system(several(response_ms)).levels
    assert (level.trust.throughput, level.trust.times) == ("VALID", times)
    assert level.trust.verdict == times
    assert level.trust.disturbance.without_late.times == Bound()
    assert [each.rule for each in level.findings] == said
    for found in level.findings:
        assert found.figure("least_mean_ms") == pytest.approx(0.2, rel=0.01)
        assert found.figure("mean_ms") == pytest.approx(response_ms, rel=0.01)
        assert [each.rule for each in found.because] == ["late-starts"]


def test_who_waits_for_a_user_is_no_bound() -> None:
    (level,) = one_system([opened(0.2, 1.4, users=1, backlog=0)]).levels
    assert level.least_response_time_ms is not None
    waiting = one_system([opened(1.9, 3.0, users=1)]).levels[0]
    assert waiting.least_response_time_ms is not None
    assert waiting.least_response_time_ms.mean == pytest.approx(3.0, rel=0.01)


def test_a_late_driver_makes_no_system_slower() -> None:
    """The same service on both sides: what one driver is late is no difference between the systems."""
    runs = [
        replace(opened(1.0, late, users=50), system=name, repeat=repeat)
        for name, late in (("a", 1.01), ("b", 2.0))
        for repeat in range(5)
    ]
    systems = analyse(runs)
    answers = {
        (each.quantity, each.answer) for each in compare(systems).ratios if each.quantity != THROUGHPUT
    }
    assert answers
    assert {answer for _, answer in answers} == {"cannot tell"}


def test_the_lag_of_the_tail_counts() -> None:
    """Lags of 0 to 2 ms on services of 5 ms: the p99 is 28 % driver, the mean 17 %."""
    random = np.random.default_rng(1)
    service = histogram(np.full(10_000, 5_000_000))
    response = histogram(5_000_000 + random.integers(0, 2_000_000, 10_000))
    times = Statistics(count=10_000, failed=0, service_time=service, response_time=response)
    made = recording(snapshots=[snapshot(i, times) for i in range(10)], load={"open": {"rate_per_s": 1e4}})
    assert causes(made)["late-starts"][1].low_percent == pytest.approx(-100 * 1.98 / 6.98, rel=0.02)


def test_lateness_that_others_caused_is_paid_once() -> None:
    made = on_host(opened(1.0, 1.5), own=0.1, waiting=0.1, foreign={"backup": 1.0})
    found = causes(made)
    assert found["processors-lost"][1].low_percent < -10
    total = sum(times.low_percent for _, times in found.values())
    assert total == pytest.approx(-100 / 3, rel=0.01)
