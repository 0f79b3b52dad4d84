"""From recordings to levels and points."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from igen.errors import IgenError
from igen.failure import Failure, FailureKind
from igen.judge import analyse, result_of
from igen.judge.curve.system import renamed
from igen.judge.record.form import Arrivals
from igen.judge.record.recording import Recording, recording_from_events
from igen.judge.result import Level, System
from igen.judge.trust.finding import Runs
from tests.judge.synthetic import events, one_system, readings, recording, snapshot, statistics, with_noise
from tests.said import observed, rules, texts_of


def curve(means: dict[int, int], runs: int = 3, seed: int = 1, **rest: Any) -> list[Recording]:
    """Repeats of a closed load at each number of users."""
    random = np.random.default_rng(seed)
    return [
        each
        for level, (users, mean) in enumerate(means.items())
        for each in with_noise(random, mean, runs, users=users, level=level, **rest)
    ]


def by_users(system: System) -> dict[int | None, Level]:
    return {level.users: level for level in system.levels}


PLATEAU = {1: 1000, 2: 1950, 4: 3600, 8: 5000, 16: 5050, 32: 4000}


def test_a_sweep_has_levels_in_order_and_named_points() -> None:
    system = one_system(curve(PLATEAU, runs=20, seed=5))
    assert [level.users for level in system.levels] == list(PLATEAU)
    assert "INVALID" not in {level.trust.verdict for level in system.levels}
    assert system.peak is not None
    assert system.sweet_spot is not None
    assert system.knee is not None
    assert (system.peak.users, system.sweet_spot.users) == (8, 8)
    assert system.peak.alike_levels == [4]
    assert system.sweet_spot.ratio_to_peak is not None
    assert system.sweet_spot.ratio_to_peak.low is not None
    assert system.sweet_spot.ratio_to_peak.low >= 0.97
    assert system.knee.users == 4
    assert (system.peak.confirmed, system.peak.findings) == (False, [])
    estimate = by_users(system)[4].throughput_per_s
    assert (estimate.n, estimate.value) == (20, pytest.approx(3600, rel=0.03))
    assert estimate.low is not None
    assert estimate.low < estimate.value


def test_levels_stand_in_order_of_load_not_of_search() -> None:
    made = [recording([1000 * u] * 10, users=u, level=i) for i, u in enumerate((1, 4, 2))]
    assert [level.users for level in one_system(made).levels] == [1, 2, 4]


def test_the_peak_at_the_edge_and_single_runs_are_warned_of() -> None:
    system = one_system(curve({1: 1000, 2: 2000}, runs=1))
    assert system.peak is not None
    assert [each.rule for each in system.peak.findings] == ["peak-may-lie-beyond", "one-run-flatters"]
    assert system.levels[0].throughput_per_s.low is None
    assert (system.levels[0].trust.verdict, rules(system.levels[0])) == ("ONE RUN", ["one-run"])
    assert system.sweet_spot is None
    why = system.unnamed["sweet spot"]
    assert (why.rule, why.limit) == ("few-common-repeats", 3)
    assert one_system(curve({1: 1000})).peak is None


def test_a_damaged_run_is_left_out_by_rule() -> None:
    damaged = recording([500] * 10, repeat=2)
    damaged.snapshots.insert(1, damaged.snapshots[1])
    system = one_system([recording([1000] * 10), recording([1000] * 10, repeat=1), damaged])
    (level,) = system.levels
    assert (level.trust.verdict, rules(level), level.throughput_per_s.value) == ("VALID", [], 1000)
    assert [repeat.used for repeat in level.repeats] == [True, True, False]
    left_out = [each.figure("repeat") for each in level.findings if each.rule == "run-left-out"]
    assert left_out == [3]


def test_a_run_that_was_disturbed_beyond_use_is_not_dropped() -> None:
    """Without a fresh run in its place the rest would be the runs that nobody disturbed."""
    stolen = recording([500] * 10, repeat=2)
    stolen.readings.update(readings("cpu", {"idle_s": 1.4, "steal_s": 0.6}))
    (level,) = one_system([recording([1000] * 10), recording([1000] * 10, repeat=1), stolen]).levels
    assert [(repeat.used, repeat.trust.verdict) for repeat in level.repeats] == [
        (True, "VALID"),
        (True, "VALID"),
        (True, "INVALID"),
    ]
    assert level.throughput_per_s.value == pytest.approx(2500 / 3)
    assert level.trust.verdict == "SUSPECT"
    assert set(rules(level)) == {"disturbed", "wide-interval"}


def overloaded(repeat: int) -> Recording:
    arrivals = Arrivals(due=1000, started=900, unsent=100, backlog=900)
    intervals = [snapshot(i, statistics(900, 1.0, failed=9), arrivals=arrivals) for i in range(10)]
    return recording(snapshots=intervals, load={"open": {"rate_per_s": 1000.0, "users": 3}}, repeat=repeat)


def test_a_level_is_not_judged_by_the_runs_that_survived_it() -> None:
    arrivals = Arrivals(due=1000, started=1000, unsent=0, backlog=0)
    intervals = [snapshot(i, statistics(1000, 1.0), arrivals=arrivals) for i in range(10)]
    load = {"open": {"rate_per_s": 1000.0, "users": 3}}
    good = [recording(snapshots=intervals, load=load, repeat=repeat) for repeat in range(2)]
    (level,) = one_system([*good, overloaded(2)]).levels
    assert level.trust.verdict == "INVALID"
    (given_up,) = (each for each in level.findings if each.rule == "arrivals-given-up")
    assert given_up.runs == Runs(number=1, of=3)
    assert (level.unsent, level.errors, level.throughput_per_s.n) == (1000, 90, 3)


def test_a_level_of_invalid_runs_is_shown_and_not_concluded_from() -> None:
    bad = recording(
        snapshots=[snapshot(i, statistics(9000, 1.0, failed=90)) for i in range(10)], users=4, level=2
    )
    system = one_system([*curve({1: 1000, 2: 1900}), bad])
    level = by_users(system)[4]
    assert (level.trust.verdict, level.throughput_per_s.value, level.errors) == ("INVALID", 9000, 900)
    assert system.peak is not None
    assert system.peak.users == 2
    (left_out,) = (each for each in system.findings if each.rule == "levels-left-out")
    assert texts_of(left_out, "load") == ["4 users"]


def test_an_agent_that_died_leaves_what_it_measured() -> None:
    lines = events(recording([1000] * 10))
    dead = recording_from_events([*lines[:8], {"job_end": {"exit_code": -9, "signal": 9, "stderr": ""}}])
    (level,) = one_system([dead]).levels
    assert level.trust.verdict == "INVALID"
    assert rules(level)[0] == "agent-died"
    assert level.findings[0].figure("signal") == 9
    assert level.transactions == 6000


def test_only_confirmation_runs_count_where_there_are_any() -> None:
    searched = curve({1: 1000, 2: 2000, 4: 2100}, runs=1, purpose="search")
    random = np.random.default_rng(2)
    confirmed = [
        each
        for level, users, mean in ((1, 2, 1900), (2, 4, 1950))
        for each in with_noise(random, mean, 3, users=users, level=level, purpose="confirm")
    ]
    system = one_system([*searched, *confirmed])
    level = by_users(system)[4]
    assert level.throughput_per_s.n == 3
    assert [repeat.used for repeat in level.repeats] == [False, True, True, True]
    assert system.peak is not None
    assert system.peak.confirmed
    assert "not-confirmed" not in [each.rule for each in system.peak.findings]


def test_the_maximum_of_a_search_is_never_published() -> None:
    searched = curve({1: 1000, 2: 2000, 4: 2100}, runs=1, purpose="search")
    system = one_system(searched)
    assert (system.peak, system.sweet_spot) == (None, None)
    assert system.unnamed["peak"].rule == "no-confirmed-load"
    assert "no-peak" in observed(system)
    disturbed = curve({4: 1950}, purpose="confirm")
    for each in disturbed:
        each.level = 2
        each.readings.update(readings("cpu", {"idle_s": 1.4, "steal_s": 0.6}))
    system = one_system([*searched, *disturbed])
    assert system.peak is None
    assert by_users(system)[4].trust.verdict == "INVALID"
    assert [repeat.used for repeat in by_users(system)[4].repeats] == [False, True, True, True]


def test_findings_of_runs_that_do_not_count_are_not_the_levels() -> None:
    searched = recording([1000 + 30 * i for i in range(20)], purpose="search")
    confirmed = [recording(repeat=repeat, purpose="confirm") for repeat in range(3)]
    (level,) = one_system([searched, *confirmed]).levels
    assert (level.trust.verdict, rules(level)) == ("VALID", [])


def test_an_open_load() -> None:
    arrivals = Arrivals(due=1000, started=1000, unsent=0, backlog=3)
    intervals = [snapshot(i, statistics(1000, 2.0, 5.0), arrivals=arrivals) for i in range(10)]
    system = one_system([recording(snapshots=intervals, load={"open": {"rate_per_s": 1000.0, "users": 3}})])
    (level,) = system.levels
    assert (system.load_model, level.users, level.offered_per_s) == ("open", 3, 1000)
    assert (level.backlog, level.unsent) == (3, 0)
    assert level.response_time_ms is not None
    assert level.service_time_ms is not None
    assert level.response_time_ms.mean == 5
    assert level.service_time_ms.mean == 2


def test_percentiles_get_an_interval_from_five_runs_on() -> None:
    for runs in (4, 5):
        level = by_users(one_system(curve({1: 1000}, runs=runs)))[1]
        assert level.response_time_ms is not None
        assert (level.response_time_ms.p99_interval is not None) == (runs == 5)
        assert level.response_time_ms.mean_interval is not None


def test_operations_counters_and_failures_are_summed() -> None:
    parts = {
        "operations": {"select": statistics(400, 1.0)},
        "counters": {"rows": 1200},
        "failures": Counter({Failure("other", "", "locked"): 1}),
    }
    intervals = [snapshot(i, statistics(2000, 5.0, failed=1), **parts) for i in range(10)]
    (level,) = one_system([recording(snapshots=intervals, repeat=repeat) for repeat in range(2)]).levels
    assert level.operations["select"].per_s == 400
    assert level.counters["rows"].per_transaction == 0.6
    assert [(each.text, each.count) for each in level.failures] == [("locked", 20)]
    assert level.failed_time_ms is not None


def test_a_crash_at_the_begin_is_no_warm_up() -> None:
    crash = [
        snapshot(
            i,
            statistics(20, 50.0, failed=100),
            failures=Counter({Failure("lost", "", "connection lost"): 100}),
        )
        for i in range(4)
    ]
    rest = [snapshot(i, statistics(1000 + i % 3, 1.0)) for i in range(4, 40)]
    (level,) = one_system([recording(snapshots=[*crash, *rest], job={"phases": {"extendable": True}})]).levels
    assert level.repeats[0].cut_s == 0, "an outage, however early"
    assert (level.errors, [each.count for each in level.failures]) == (400, [400])
    assert level.trust.verdict == "INVALID"


def test_the_floor_is_the_time_per_user_and_transaction() -> None:
    assert one_system([recording()], recording([20_000] * 10)).floor_ns == pytest.approx(50_000)
    assert one_system([recording()]).floor_ns is None


def test_the_timeline_has_the_warm_up() -> None:
    intervals = [snapshot(-1, statistics(10, 1.0), phase="warmup")]
    intervals += [snapshot(i, statistics(1000, 1.0)) for i in range(8)]
    timeline = one_system([recording(snapshots=intervals)]).levels[0].repeats[0].timeline
    assert [each.start_s for each in timeline] == [-1, *range(8)]
    assert [each.measured for each in timeline] == [False] + [True] * 8
    assert timeline[0].heat == [(1.049, 10)]


def test_without_a_job_there_is_nothing_to_say() -> None:
    silent = recording_from_events([], "0002.jsonl")
    (found,) = one_system([recording(), silent]).findings
    assert (found.rule, texts_of(found, "file")) == ("recording-empty", ["0002.jsonl"])
    with pytest.raises(IgenError, match="nothing was recorded"):
        one_system([silent])
    (empty,) = analyse([silent], planned=recording())
    assert (empty.levels, empty.peak, empty.workload, empty.job) == ([], None, "oltp", recording().job)
    assert [each.rule for each in empty.findings] == ["nothing-recorded", "recording-empty"]


def test_the_agents_warnings_are_told_once() -> None:
    made = [recording(repeat=i, warnings=["no TSC"]) for i in range(3)]
    (found,) = one_system(made).findings
    assert (found.rule, texts_of(found, "text"), found.figure("jobs")) == ("agent-warning", ["no TSC"], 3)


def test_the_document() -> None:
    result = result_of([one_system(curve(PLATEAU))])
    assert (result.title, result.schema_version, result.ratios) == ("A", 2, [])
    assert (result.observations, bool(result.systems[0].observations)) == ([], True)


def test_another_axis_makes_another_system() -> None:
    made = [
        recording([mean + 7 * repeat] * 10, users=users, level=level, repeat=repeat, job=job)
        for level, (users, mode, mean) in enumerate(
            ((1, "full", 100), (1, "off", 150), (2, "full", 200), (2, "off", 300))
        )
        for repeat in range(3)
        for job in ({"params": {"synchronous": mode, "customers": 10}},)
    ]
    full, off = analyse(made)
    assert [system.name for system in (full, off)] == ["A (synchronous=full)", "A (synchronous=off)"]
    assert [[level.users for level in system.levels] for system in (full, off)] == [[1, 2], [1, 2]]
    first = full.observations[0]
    assert (first.rule, first.part("system").text, first.part("load").text) == (
        "most-of-loads-tried",
        "A (synchronous=full)",
        "2 users",
    )
    result = result_of([full, off])
    assert [(ratio.users, ratio.answer) for ratio in result.ratios if ratio.decides] == [
        (1, "faster"),
        (2, "faster"),
    ]
    assert {ratio.method for ratio in result.ratios} == {"paired log-t"}, "their executions took turns"
    assert result.findings == []
    (found,) = result.differences
    assert (found.system, found.base) == ("A (synchronous=off)", "A (synchronous=full)")
    assert (found.kind, found.name, found.of_system, found.of_base) == (
        "parameter",
        "synchronous",
        "off",
        "full",
    )


def test_rate_and_users_are_two_axes() -> None:
    made = [
        recording(level=level, load={"open": {"rate_per_s": rate, "users": users}})
        for level, (rate, users) in enumerate(((100.0, 1), (100, 2), (200, 1), (200, 2)))
    ]
    systems = analyse(made)
    assert [system.name for system in systems] == ["A (users=1)", "A (users=2)"]
    assert [level.offered_per_s for system in systems for level in system.levels] == [100, 200] * 2


def test_settings_of_one_name_are_told_by_their_paths() -> None:
    jobs = [{"params": {"size": size}, "placement": {"size": size}} for size in (1, 2)]
    names = [system.name for system in analyse([recording(job=job) for job in jobs])]
    assert names == ["A (params.size=1, placement.size=1)", "A (params.size=2, placement.size=2)"]


def test_a_new_name_is_in_the_sentences_too() -> None:
    system = renamed(one_system(curve(PLATEAU)), "B")
    assert (system.observations[0].rule, system.observations[0].part("system").text) == (
        "reaches-plateau",
        "B",
    )


def test_rates_are_over_the_operations_that_do_the_work() -> None:
    """Two users, each 0.5 s of search in each second: 3,000 tickets in 500 ms."""
    definition = {"name": "tickets_per_ms", "counter": "tickets_compared", "operations": ["search", "absent"]}
    parts = {"operations": {"search": statistics(100, 10.0)}, "counters": {"tickets_compared": 3000}}
    intervals = [snapshot(i, statistics(100, 20.0), **parts) for i in range(10)]
    facts = {"workload.rates": [definition], "workload.transactions": "runs"}
    made = [recording(snapshots=intervals, users=2, repeat=i, facts=facts) for i in range(3)]
    system = one_system(made)
    rate = system.levels[0].rates["tickets_per_ms"]
    assert (rate.value, rate.low, rate.n) == (6, 6, 3)
    assert system.transaction == "runs"
    assert one_system([recording()]).levels[0].rates == {}


def test_operations_are_in_the_order_of_the_transaction() -> None:
    parts = {
        "operations": {name: statistics(10, 1.0) for name in ("commit", "insert", "select", "undeclared")}
    }
    intervals = [snapshot(i, statistics(10, 5.0), **parts) for i in range(10)]
    made = recording(
        snapshots=intervals, facts={"workload.operations": ["select", "insert", "commit", "call"]}
    )
    operations = one_system([made]).levels[0].operations
    assert list(operations) == ["select", "insert", "commit", "undeclared"]


@pytest.mark.parametrize("kind", ["lost", "refused", "silent"])
def test_a_server_that_went_away_for_a_moment_spoils_the_level(kind: FailureKind) -> None:
    intervals = [snapshot(i, statistics(1000, 1.0)) for i in range(10)]
    intervals[5] = snapshot(
        5, statistics(999, 1.0, failed=1), failures=Counter({Failure(kind, "home: connect", "gone"): 1})
    )
    (level,) = one_system([recording(snapshots=intervals)]).levels
    assert level.trust.verdict == "INVALID"
    assert rules(level)[0] == "connections-lost"
    assert level.findings[0].figure("times") == 1
