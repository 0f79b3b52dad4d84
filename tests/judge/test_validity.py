"""Each limit: just below it nothing is said, above it the verdict and the figure."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any, Literal

import pytest

from igen.failure import Failure, FailureKind
from igen.judge.record.form import Arrivals, Message
from igen.judge.record.recording import Recording
from igen.judge.result import Level
from igen.judge.run.measured import measure
from igen.judge.trust.disturbance import Disturbance
from igen.judge.trust.finding import Finding, Runs, finding, gravest
from igen.judge.trust.rules import Verdict
from igen.judge.trust.trust import Trust
from igen.judge.trust.validity import (
    findings_of,
    is_overloaded,
    level_findings,
    load_failures,
    stands_in,
    was_measured,
)
from tests.judge.synthetic import one_system, readings, recording, snapshot, statistics

FLOOR_NS = 50.0
REMOTE = {"targets": ["postgresql://db.example/shop"]}
LOCAL = {"targets": ["postgresql://localhost/shop"]}


def judged(made: Recording, floor_ns: float = FLOOR_NS) -> list[Finding]:
    return findings_of(measure(made), floor_ns)


def rules(made: Recording, floor_ns: float = FLOOR_NS) -> set[str]:
    return {finding.rule for finding in judged(made, floor_ns)}


def level_of(*made: Recording) -> Level:
    (level,) = one_system([replace(each, repeat=repeat) for repeat, each in enumerate(made)]).levels
    return level


def on_host(made: Recording, *parts: dict[Any, Any]) -> Recording:
    """Two processors, otherwise idle, and what `parts` add."""
    idle = [readings("cpu", {"idle_s": 1.0}, name) for name in ("cpu0", "cpu1")]
    for each in (*idle, readings("cpu", {"idle_s": 2.0}), *parts):
        made.readings.update(each)
    return made


def cpu(**per_s: float) -> dict[Any, Any]:
    return readings("cpu", {"idle_s": 2.0 - sum(per_s.values()), **per_s})


def agent(**per_s: float) -> dict[Any, Any]:
    return readings("process", per_s, "agent")


def test_a_good_run_is_valid() -> None:
    made = on_host(recording(), cpu(user_s=0.9, system_s=0.1), agent(user_s=0.9, system_s=0.1, wait_s=0.0))
    assert judged(made) == []
    assert gravest([]) == "VALID"


def test_driver_cpu_is_the_load_itself_where_there_is_no_server() -> None:
    busy = (cpu(user_s=1.6), agent(user_s=1.6))
    assert rules(on_host(recording(users=2), *busy)) == set()
    assert rules(on_host(recording(users=2, job=LOCAL), *busy)) == {"driver-busy"}


def test_a_driver_that_spins_is_not_short_of_processors() -> None:
    """Two processors for 10 s: 16 s of the load process are 80 %, of which 3 s were nothing but waiting."""
    busy = (cpu(user_s=1.6), agent(user_s=1.6))
    for spun_s, found in ((1.0, {"driver-busy"}), (3.0, set())):
        made = recording(users=2, job=LOCAL, facts={"engine.spun_s": spun_s})
        assert rules(on_host(made, *busy)) == found


def test_company() -> None:
    assert rules(recording(facts={"environment.concurrent_runs": 1})) == {"concurrent-runs"}
    assert rules(recording(facts={"environment.concurrent_runs": 0})) == set()


def test_a_quota_that_stops_the_load_makes_it_suspect() -> None:
    quota = {"quota_periods": 10.0, "throttled_s": 0.5}
    (found,) = judged(on_host(recording(), agent(**quota, throttled_periods=2.5)))
    assert (found.rule, found.row.grade) == ("throttled", "SUSPECT")
    assert found.figure("throttled_percent") == pytest.approx(25)
    assert rules(on_host(recording(), agent(**quota, throttled_periods=0.0))) == set()

    two = recording(job=REMOTE, facts=shared_by("a", "b"))
    two.elsewhere["b"].update(agent(**quota, throttled_periods=10.0))
    (found,) = [each for each in judged(two) if each.rule == "throttled"]
    assert [part.text for part in found.parts if part.name == "machine"] == ["b"]


def failing(failed: int) -> Recording:
    each = statistics(1000, 1.0, failed=failed)
    return recording(
        snapshots=[
            snapshot(i, each, failures=Counter({Failure("other", "", "locked"): failed})) for i in range(10)
        ]
    )


def test_errors() -> None:
    assert "errors" not in rules(failing(1))
    found = [finding for finding in judged(failing(2)) if finding.rule == "errors"]
    assert (found[0].row.grade, found[0].limit) == ("INVALID", pytest.approx(0.1))
    assert found[0].figure("share_percent") == pytest.approx(100 * 2 / 1002)
    assert [part.text for part in found[0].parts if part.name == "reason"] == ["locked"]


def test_one_failed_io_is_a_failed_device() -> None:
    each = statistics(1000, 1.0)
    first = snapshot(
        0,
        statistics(1000, 1.0, failed=1),
        failures=Counter({Failure("device", "read", "input/output error (EIO)"): 1}),
    )
    made = recording(snapshots=[first, *(snapshot(i, each) for i in range(1, 10))])
    (finding,) = (finding for finding in judged(made) if finding.rule == "device-failed")
    assert (finding.row.grade, finding.figure("ios")) == ("INVALID", 1)


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        ("lost", "connections-lost"),
        ("refused", "connections-lost"),
        ("silent", "connections-lost"),
        ("device", "device-failed"),
        ("protocol", None),
        ("check", None),
        ("conflict", None),
        ("other", None),
    ],
)
def test_the_kind_of_one_failure_decides_and_not_its_words(kind: FailureKind, rule: str | None) -> None:
    each, failure = (
        statistics(1000, 1.0),
        Failure(kind, "home: connect", "input/output error: connection lost"),
    )
    first = snapshot(0, statistics(1000, 1.0, failed=1), failures=Counter({failure: 1}))
    made = recording(snapshots=[first, *(snapshot(i, each) for i in range(1, 10))])
    found = rules(made) & {"connections-lost", "device-failed"}
    assert found == ({rule} if rule else set())


def test_nothing_measured() -> None:
    assert gravest(judged(recording([]))) == "INVALID"
    assert "nothing-done" in rules(recording([0] * 10))


@pytest.mark.parametrize(
    ("think_time", "told"),
    [
        ({"uniform": [5.0, "15s"]}, {"think_time_s": 10, "measured_s": 3}),
        ({"exponential": 600.0}, {"think_time_s": 600, "measured_s": 3}),
        ("3.1s", {"think_time_s": 3.1, "measured_s": 3}),
        (3.0, {}),
        (None, {}),
    ],
)
def test_who_thinks_for_longer_than_is_measured_is_told_so(
    think_time: object, told: dict[str, float]
) -> None:
    load = {"closed": {"users": 2} | ({} if think_time is None else {"think_time_s": think_time})}
    found = [each for each in judged(recording([0] * 3, load=load)) if each.rule == "nothing-done"]
    assert [{part.name: part.figure for part in each.parts} for each in found] == [told]
    failed = recording(snapshots=[snapshot(0, statistics(0, 1.0, failed=2))], load=load)
    found = [each for each in judged(failed) if each.rule == "nothing-done"]
    assert [each.figure("failed") for each in found] == [2]


def test_a_run_that_was_stopped_before_a_transaction_ended_is_no_load_that_failed() -> None:
    """Ctrl-C in the third repeat made an INVALID level of two good ones, whose load *itself failed*."""
    stopped = replace(recording([0] * 3, repeat=2), outcome="interrupted")
    assert load_failures(level_of(stopped)) == []
    (level,) = one_system([recording(repeat=0), recording(repeat=1), stopped]).levels
    assert level.trust.verdict == "VALID"
    assert [repeat.used for repeat in level.repeats] == [True, True, False]
    failing_first = recording(snapshots=[snapshot(0, statistics(0, 1.0, failed=2))])
    assert load_failures(level_of(replace(failing_first, outcome="interrupted")))


def test_the_load_failed_where_transactions_did_and_not_where_the_machine_was_taken() -> None:
    (failed,) = load_failures(level_of(failing(failed=200), recording()))
    assert (failed.rule, failed.runs) == ("errors", Runs(number=1, of=2))
    assert failed.figure("share_percent") == pytest.approx(100 * 200 / 1200)
    assert load_failures(level_of(on_host(recording(), cpu(steal_s=1.0)))) == []


@pytest.mark.parametrize(("driver_s", "failed"), [(0.2, False), (1.6, True)])
def test_a_rate_that_is_not_met_is_a_failure_where_the_driver_was_busy(driver_s: float, failed: bool) -> None:
    made = opened(1000, 900, users=4)
    made.job |= REMOTE
    on_host(made, cpu(user_s=driver_s), agent(user_s=driver_s, system_s=0.0))
    found = {finding.rule: finding for finding in judged(made)}
    if failed:
        assert [each.rule for each in found["rate-not-sent"].because] == ["rate-not-served"]
    assert ("rate-not-sent" in found, "rate-not-served" in found) == (failed, not failed)
    assert bool(load_failures(level_of(made))) == failed


def test_a_run_counts_once_although_it_broke_a_rule_in_two_ways() -> None:
    """A busy driver gave up arrivals and did not send the rest: that was *in 4 of 2 runs*."""
    made = opened(1000, 900, unsent=50, users=4)
    made.job |= REMOTE
    on_host(made, cpu(user_s=1.6), agent(user_s=1.6, system_s=0.0))
    (failed,) = load_failures(level_of(made, made))
    assert (failed.rule, failed.runs) == ("rate-not-sent", Runs(number=2, of=2))
    assert [each.rule for each in failed.because] == ["arrivals-given-up", "rate-not-served"]


def test_an_outage_is_suspect_and_a_step_of_one_run_is_an_observation() -> None:
    outage, _ = judged(recording([1000] * 15 + [0] * 5))
    assert (outage.row.grade, outage.rule) == ("SUSPECT", "outage")
    (step,) = judged(recording([1000 + at % 3 for at in range(12)] + [900 + at % 3 for at in range(8)]))
    assert (step.row.grade, step.rule) == ("VALID", "step")
    assert step.figure("change_percent") == pytest.approx(-10, abs=0.2)


def opened(
    due: int, ended: int, *, unsent: int = 0, backlog: int = 0, response_ms: float = 1.0, **load: Any
) -> Recording:
    arrivals = Arrivals(due=due, started=ended, unsent=unsent, backlog=backlog)
    intervals = [snapshot(i, statistics(ended, 1.0, response_ms), arrivals=arrivals) for i in range(10)]
    return recording(snapshots=intervals, load={"open": {"rate_per_s": float(due), **load}})


def test_rate_not_met() -> None:
    assert rules(opened(1000, 995, users=4)) == set()
    (finding,) = judged(opened(1000, 980, users=4))
    assert (finding.row.grade, finding.rule, finding.limit) == ("INVALID", "rate-not-served", 1)
    assert (finding.figure("served_per_s"), finding.figure("offered_per_s")) == (980, 1000)
    assert rules(opened(1000, 1020, users=4)) == {"backlog-served"}


@pytest.mark.parametrize(
    ("load", "held"),
    [
        ({"paced": {"users": 181, "rate_per_user_per_s": 10.0}}, False),
        ({"open": {"rate_per_s": 1810.0, "users": 181}}, False),
        ({"open": {"rate_per_s": 1810.0, "users": 181, "arrivals": "poisson"}}, True),
    ],
)
def test_what_comes_by_a_plan_is_missing_sooner_than_what_comes_by_chance(
    load: dict[str, Any], held: bool
) -> None:
    """1,704 of 1,810 a second in 5 s, with 126 in flight: as much may miss by chance, not by a plan."""
    arrivals = Arrivals(due=1810, started=1810, unsent=0, backlog=0)
    ended = [1810, 1810, 1280, 1810, 1810]
    intervals = [
        snapshot(second, statistics(each, 74.0), arrivals=arrivals) for second, each in enumerate(ended)
    ]
    made = recording(snapshots=intervals, load=load)
    assert (rules(made) & {"rate-not-served", "queue-grew"} == set()) == held
    assert is_overloaded(level_of(made)) != held


def test_only_what_the_system_did_not_serve_is_an_overload() -> None:
    assert not is_overloaded(level_of(failing(failed=200)))
    assert not is_overloaded(level_of(opened(1000, 1000, users=4)))
    assert is_overloaded(level_of(opened(1000, 990, unsent=10, users=4)))
    assert not is_overloaded(level_of(opened(1000, 1020, users=4))), "more was served than came"
    busy = opened(1000, 900, users=4)
    busy.job |= REMOTE
    assert not is_overloaded(level_of(on_host(busy, cpu(user_s=1.6), agent(user_s=1.6, system_s=0.0))))


@pytest.mark.parametrize(("quantity", "overloaded"), [("times", True), ("throughput", False), ("", False)])
def test_the_times_of_an_overloaded_system_are_not_what_makes_it_invalid(
    quantity: Literal["", "throughput", "times"], overloaded: bool
) -> None:
    level = level_of(recording())
    disturbed = finding("disturbed-beyond-use", quantity=quantity)
    rate = finding("rate-not-served", served_per_s=900, offered_per_s=1000)
    assert is_overloaded(replace(level, findings=[rate, disturbed])) == overloaded
    assert not is_overloaded(replace(level, findings=[disturbed]))


def test_what_is_in_flight_at_the_ends_is_not_missing() -> None:
    """10 arrivals a second of 9 s each: about 90 are in flight, give or take 13 at each end."""
    ended = [4, 11, 3, 10, 6, 12, 5, 8, 4, 7]
    arrivals = Arrivals(due=10, started=10, unsent=0, backlog=0)
    intervals = [
        snapshot(second, statistics(each, 9000.0), arrivals=arrivals) for second, each in enumerate(ended)
    ]
    made = recording(snapshots=intervals, load={"open": {"rate_per_s": 10.0, "users": 100}})
    assert not rules(made) & {"rate-not-served", "queue-grew", "backlog-served"}


def test_unsent_is_overloaded() -> None:
    made = opened(1000, 990, unsent=10, users=4)
    (found,) = (finding for finding in judged(made) if finding.rule == "arrivals-given-up")
    assert (found.figure("given_up"), found.figure("arrivals"), found.row.overload) == (100, 10_000, True)


def test_users_that_have_left() -> None:
    def closed(*users: int) -> list[Finding]:
        intervals = [snapshot(i, statistics(1000, each), users=each) for i, each in enumerate(users)]
        return [
            finding
            for finding in judged(recording(snapshots=intervals, users=users[0]))
            if finding.rule == "users-left"
        ]

    assert closed(100, 100, 98) == []
    (finding,) = closed(100, 99, 97)
    assert finding.row.grade == "INVALID"
    assert (finding.figure("left"), finding.figure("users")) == (3, 100)
    assert "users-left" not in rules(opened(1000, 1000)), "it has as many users as it takes"


def test_users_that_have_left_are_told_before_the_rate_that_they_take_with_them() -> None:
    """The system could have served what nobody asked any more: an open load with a number of users."""
    arrivals = Arrivals(due=20, started=2, unsent=0, backlog=0)
    intervals = [snapshot(i, statistics(2, 1.0), users=1, arrivals=arrivals) for i in range(10)]
    made = recording(snapshots=intervals, load={"open": {"rate_per_s": 20.0, "users": 5}})
    left, rate = judged(made)
    assert (left.rule, left.figure("left"), left.figure("users")) == ("users-left", 4, 5)
    assert rate.rule == "rate-not-served"


def test_littles_law() -> None:
    def closed(service_ms: float, **rest: Any) -> Recording:
        intervals = [snapshot(i, statistics(1000, service_ms)) for i in range(10)]
        return recording(snapshots=intervals, users=4, **rest)

    assert rules(closed(4.0)) == set()
    (finding,) = judged(closed(3.8))
    assert (finding.rule, finding.figure("users")) == ("users-unaccounted", 4)
    assert finding.figure("accounted") == pytest.approx(3.8, rel=0.001)
    assert finding.limit == pytest.approx(2, rel=0.03)
    assert rules(closed(3.8, facts={"engine.aside_s": 2.0})) == set()
    assert rules(closed(3.8, facts={"engine.aside_s": 0.0})) == {"users-unaccounted"}
    assert rules(closed(3.8), 1e6) == set(), "the engine's own cost explains it"
    eight = {"workload.in_flight_per_user": 8}
    assert rules(closed(32.0, facts=eight)) == set()
    (finding,) = judged(closed(4.0, facts=eight))
    assert (finding.figure("users"), finding.figure("in_flight_per_user")) == (4, 8)
    assert finding.figure("accounted") == pytest.approx(4, rel=0.001)


def test_littles_law_with_the_think_times_that_the_agent_tells() -> None:
    def closed(think_time_s: float, think: object, share: dict[str, int] | None = None) -> Recording:
        intervals = [snapshot(i, statistics(1000, 0.2), think_time_s=think_time_s) for i in range(10)]
        load = {"closed": {"users": 4, "think_time_s": think}}
        return recording(snapshots=intervals, load=load, job={"share": share} if share else None)

    # 1,000 transactions a second of 0.2 ms leave 4 users 3.8 s a second to think.
    drawn = {"exponential": 0.0038}
    assert rules(closed(3.8, drawn)) == set()
    assert rules(closed(3.8, 0.0)) == set(), "they thought inside their transactions"
    (finding,) = judged(closed(3.6, drawn))
    assert (finding.rule, finding.figure("users")) == ("users-unaccounted", 4)
    assert finding.figure("accounted") == pytest.approx(3.8, rel=0.001)
    # Half of them are another agent's.
    assert rules(closed(1.8, drawn, {"index": 0, "of": 2})) == set()


def test_a_failure_of_the_load_spoils_the_level_and_a_run_that_was_not_measured_does_not() -> None:
    good: list[Finding] = []
    failed = judged(recording(outcome="failed", errors=[Message("no such table")]))
    dead = judged(recording(outcome=None, signal=9))
    stopped = judged(recording(outcome="interrupted"))
    (fault,) = level_findings([good], [failed])
    assert fault.row.grade == "INVALID"
    for each in (dead, stopped):
        assert not stands_in(each)
        assert not was_measured(each)
        assert level_findings([good], [each]) == []
        assert gravest(level_findings([each], [])) == "INVALID", "if no other run was measured"
    assert [finding.row.exit_code for finding in dead] == [1]


def test_reasons_are_told_once_with_their_number() -> None:
    suspect = [finding("disturbed", times_low_percent=-2)]
    invalid = [finding("disturbed-beyond-use", times_low_percent=-90), finding("concurrent-runs")]
    (found,) = level_findings([suspect, suspect, []], [invalid])
    assert (found.rule, found.scope, found.runs) == ("disturbed", "level", Runs(number=2, of=3))
    alone = level_findings([invalid], [])
    assert [each.rule for each in alone] == ["disturbed-beyond-use", "concurrent-runs"]
    assert [each.runs for each in alone] == [None, None], "of one run there is no number"


def test_what_the_load_did_stays_and_spoils() -> None:
    for made in (failing(2), recording([0] * 10)):
        found = judged(made)
        assert stands_in(found)
        assert gravest(level_findings([[], []], [found])) == "INVALID"


def test_unfinished_transactions() -> None:
    (finding,) = judged(recording(unfinished_users=3))
    assert finding.rule == "unfinished"
    assert [(part.name, part.figure) for part in finding.parts] == [("transactions", 3)]
    stopped = judged(replace(recording(unfinished_users=1), outcome="interrupted"))[-1]
    assert (stopped.rule, stopped.figure("transactions"), stopped.figure("stopped")) == ("unfinished", 1, 1)


def test_a_verdict_of_one_quantity_is_no_verdict_of_the_other() -> None:
    times = finding("disturbed-beyond-use", quantity="times")

    def verdicts_of(found: list[Finding]) -> tuple[Verdict, Verdict, Verdict]:
        trust = Trust.of(found, Disturbance())
        return trust.verdict, trust.throughput, trust.times

    assert verdicts_of([]) == ("VALID", "VALID", "VALID")
    assert verdicts_of([times]) == ("SUSPECT", "VALID", "INVALID")
    assert verdicts_of([times, finding("outage")]) == ("SUSPECT", "SUSPECT", "INVALID")
    assert verdicts_of([times, finding("errors")]) == ("INVALID", "INVALID", "INVALID")


def shared_by(*hosts: str, **facts: Any) -> dict[str, Any]:
    """Facts of a level that agents on these hosts shared."""
    fleet = {"agents": len(hosts), "hosts": list(hosts), "machines": len(set(hosts)), **facts}
    return {f"fleet.{name}": value for name, value in fleet.items()}


def test_a_run_that_lost_an_agent_was_not_measured() -> None:
    lost = ["agent 2 of 3 on b was lost 4.0 s after the start of the load: it was killed by signal 9"]
    found = judged(recording(facts=shared_by("a", "b", "c", lost=lost)))
    assert [finding.rule for finding in found] == ["share-lost"]
    assert (found[0].figure("lost"), found[0].figure("shares")) == (1, 3)
    assert [part.text for part in found[0].parts if part.name == "loss"] == lost
    row = found[0].row
    assert (row.grade, row.exit_code, row.run) == ("INVALID", 1, "not measured")


@pytest.mark.parametrize("fault", [None, "failed"])
def test_users_of_a_lost_agent_have_not_stopped_by_themselves(fault: str | None) -> None:
    """The loss is the first reason, and no other is made of the users who went with it."""
    lost = ["agent 2 of 3 on b was lost 4.0 s after the start of the load: it was killed by signal 9"]
    intervals = [snapshot(i, statistics(1000, 2.0), users=4 if i < 4 else 2) for i in range(10)]
    made = recording(snapshots=intervals, users=4, facts=shared_by("a", "b", "c", lost=lost))
    if fault:
        made = replace(made, outcome=fault, errors=[Message(lost[0])])
    found = judged(made)
    assert lost[0] in [part.text for part in found[0].parts]
    assert {finding.rule for finding in found} == {"share-failed" if fault else "share-lost"}
    alone = {finding.rule for finding in judged(recording(snapshots=intervals, users=4))}
    assert alone >= {"users-left", "users-unaccounted"}, "where nobody was lost that is said"


def test_a_load_machine_that_is_the_bottleneck_makes_the_level_invalid() -> None:
    busy = [readings("cpu", {"idle_s": 1.0}, name) for name in ("cpu0", "cpu1")]
    used = [*busy, cpu(user_s=1.6), agent(user_s=1.0), readings("process", {"user_s": 0.6}, "17 igen-agent")]
    one = on_host(recording(job=REMOTE, facts=shared_by("a", "a", process_ids=[17])), *used)
    (found,) = [finding for finding in judged(one) if finding.rule == "driver-busy"]
    assert (found.row.grade, found.limit) == ("INVALID", 70)
    assert found.figure("used_percent") == pytest.approx(80)
    assert found.figure("machines_needed_at_least") == 2
    arrivals = Arrivals(due=1000, started=1000, unsent=0, backlog=0)
    served = [snapshot(i, statistics(1000, 1.0, 1.0), arrivals=arrivals) for i in range(10)]
    held = on_host(
        recording(job=REMOTE, snapshots=served, facts=shared_by("a", "a", process_ids=[17])), *used
    )
    (found,) = [finding for finding in judged(held) if finding.rule == "driver-busy"]
    assert found.figure("machines_enough") == 2

    facts = shared_by("a", "b", "b", process_ids=[17])
    two = on_host(recording(job=REMOTE, facts=facts), cpu(user_s=0.2), agent(user_s=0.2))
    for each in used:
        two.elsewhere["b"].update(each)
    (found,) = [finding for finding in judged(two) if finding.rule == "driver-busy"]
    assert [part.text for part in found.parts if part.name == "machine"] == ["b"]
    assert found.figure("machines_needed_at_least") == 3
    idle = on_host(recording(job=REMOTE, facts=shared_by("a", "b")), agent(user_s=1.3))
    assert not rules(idle) & {"driver-busy"}
