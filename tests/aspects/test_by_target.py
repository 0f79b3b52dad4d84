"""Statistics by target, and findings about targets that are not alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from igen.aspects.targets.measure import users_of_target
from igen.aspects.targets.parts import targets_at
from igen.judge.record.recording import Recording, recording_from_events
from igen.judge.record.snapshot import add
from igen.judge.result import Finding, System
from tests.aspects.observed import has, observed
from tests.judge.synthetic import encoded, events, one_system, recording, snapshot, statistics

NAMES = ["sqlite:///a.db", "sqlite:///b.db", "sqlite:///c.db", "sqlite:///d.db"]


def sharded(
    per_s: list[int],
    *,
    service_ms: list[float] | None = None,
    users: int = 4,
    repeat: int = 0,
    noise: float = 0.01,
) -> Recording:
    """A run in which each target ended so many transactions a second."""
    random = np.random.default_rng(repeat)
    service_ms = service_ms or [1e3 * users / sum(per_s)] * len(per_s)
    intervals = []
    for second in range(10):
        counts = [round(rate * (1 + noise * random.standard_normal())) for rate in per_s]
        targets = [statistics(count, time) for count, time in zip(counts, service_ms, strict=True)]
        intervals.append(snapshot(second, add(targets), users=users, targets=targets))
    job: dict[str, Any] = {"targets": NAMES[: len(per_s)]}
    return recording(snapshots=intervals, users=users, repeat=repeat, job=job)


def system(per_s: list[int], runs: int = 3, **rest: Any) -> System:
    return one_system([sharded(per_s, repeat=repeat, **rest) for repeat in range(runs)])


def said(of: System) -> list[Finding]:
    does, answers = (
        ("target-does-less", "target-does-more"),
        ("target-answers-faster", "target-answers-slower"),
    )
    return observed(of, *does, *answers)


def test_each_target_has_its_share_and_its_interval() -> None:
    (level,) = system([1000, 3000]).levels
    first, second = targets_at(level)
    assert level.instances == 2
    assert (first.target, second.target) == (NAMES[0], NAMES[1])
    assert (first.share, second.share) == (pytest.approx(0.25, rel=0.02), pytest.approx(0.75, rel=0.02))
    assert first.transactions + second.transactions == level.transactions
    assert first.throughput_per_s.value == pytest.approx(1000, rel=0.02)
    assert first.throughput_per_s.n == 3
    assert first.throughput_per_s.low is not None
    assert first.response_time_ms is not None
    assert first.errors == 0


def test_one_target_has_no_statistics_of_its_own() -> None:
    (level,) = one_system([recording()]).levels
    assert (targets_at(level), level.instances) == ([], 1)


def test_targets_are_read_from_snapshots() -> None:
    lines = events(recording(users=2, job={"targets": NAMES[:2]}))
    for line in lines:
        if "snapshot" in line:
            part = statistics(500, 1.0, failed=1)
            half = {"count": 500, "failed": 1, "service_time": encoded(part.service_time)}
            line["snapshot"]["targets"] = [half, half]
    (level,) = one_system([recording_from_events(lines)]).levels
    assert [target.transactions for target in targets_at(level)] == [5000, 5000]
    assert [target.errors for target in targets_at(level)] == [10, 10]


def test_nothing_is_said_of_targets_that_are_alike() -> None:
    assert said(system([1000, 1000, 1000, 1000])) == []
    assert said(system([1000, 1050, 1000, 1000], noise=0.001)) == []


def test_a_slow_target_is_named() -> None:
    (rate,) = said(system([1000, 1000, 600, 1000]))
    assert (rate.rule, rate.part("target").text) == ("target-does-less", NAMES[2])
    assert (rate.part("load").text, rate.figure("others")) == ("4 users", 0)
    slow, usual = rate.figure("throughput_per_s"), rate.figure("usual_throughput_per_s")
    assert (slow, usual) == (pytest.approx(600, rel=0.01), pytest.approx(1000, rel=0.01))
    assert rate.figure("factor") == pytest.approx(usual / slow)


def test_response_times_are_looked_at_on_their_own() -> None:
    (times,) = said(system([1000] * 4, service_ms=[1.0, 1.0, 1.0, 1.5], users=4))
    assert (times.rule, times.part("target").text) == ("target-answers-slower", NAMES[3])
    assert times.figure("response_time_ms") == pytest.approx(1.5, rel=0.01)


def test_of_two_targets_one_finding_is_about_both() -> None:
    (rate,) = said(system([1000, 2000]))
    assert rate.figure("others") == 0


def test_further_outliers_are_counted() -> None:
    (rate,) = said(system([1000, 1000, 400, 1700]))
    assert (rate.rule, rate.part("target").text) == ("target-does-less", NAMES[2])
    assert rate.figure("others") == 1


def test_targets_with_more_users_may_do_more() -> None:
    # 5 users on 4 targets: the first has two of them.
    assert said(system([2000, 1000, 1000, 1000], users=5)) == []
    (rate,) = said(system([2000, 1000, 1000, 500], users=5))
    assert (rate.rule, rate.part("target").text) == ("target-does-less", NAMES[3])
    assert has(rate, "per_user_per_s")


def test_one_run_cannot_tell() -> None:
    assert said(system([1000, 1000, 300, 1000], runs=1)) == []


@pytest.mark.parametrize(("users", "targets"), [(4, 4), (5, 4), (7, 3), (1, 1), (32, 5)])
def test_users_are_dealt_in_turn(users: int, targets: int) -> None:
    dealt = [user % targets for user in range(users)]
    assert [users_of_target(users, targets, index) for index in range(targets)] == [
        dealt.count(index) for index in range(targets)
    ]
