"""What disturbs has a price: hand-made machines on which the undisturbed figure is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from igen.judge import analyse
from igen.judge.intent import Intent
from igen.judge.record.form import Arrivals
from igen.judge.record.recording import Reading, Recording
from igen.judge.result import Level
from igen.judge.run.measured import measure
from igen.judge.run.queueing import erlang_c
from igen.judge.run.readings import readings_of
from igen.judge.trust.disturbance import Bound, Cause, Disturbance
from igen.judge.trust.finding import Finding, finding, parts_of
from igen.judge.trust.price import disturbance_of, mean_disturbance
from igen.judge.trust.validity import disturbed, is_disturbed
from igen.say.words import bound_text
from tests.judge.hosts import on_host
from tests.judge.synthetic import MEASURE_BEGIN_S, one_system, readings, recording, snapshot, statistics
from tests.said import reason, rules

LOCAL = {"targets": ["postgresql://localhost/shop"]}
TICKS = 0.002
"""One tick of each processor in 10 s, as a share."""


def price(made: Recording) -> Disturbance:
    return disturbance_of(measure(made))


def causes(made: Recording) -> dict[str, tuple[Bound, Bound]]:
    return {cause.rule: (cause.throughput, cause.times) for cause in price(made).causes}


def programs(foreign: Finding) -> list[tuple[str, float | None]]:
    """Return what each program used, in percent, the busiest first."""
    return [(part.text, part.figure) for part in foreign.parts if part.name == "program_percent"]


def test_a_quiet_machine_costs_nothing() -> None:
    assert price(on_host(recording(users=2), own=2.0)) == Disturbance()
    assert price(recording()) == Disturbance(), "nothing was read"


def test_processors_that_others_used_are_priced_by_what_the_load_used() -> None:
    """Two users on two processors, of which others take a quarter: alone they would do a third more."""
    made = on_host(recording(users=2), own=1.5, waiting=0.5, foreign={"backup": 0.5})
    (cause,) = price(made).causes
    (foreign,) = cause.finding.because
    assert (cause.rule, foreign.rule) == ("processors-lost", "foreign-cpu")
    assert cause.finding.figure("lost_s") == pytest.approx(5, rel=0.01)
    assert foreign.figure("used_percent") == pytest.approx(25)
    assert programs(foreign) == [("backup", pytest.approx(25))]
    assert cause.throughput.high_percent == pytest.approx(100 * 0.5 / 1.5, rel=0.01)
    assert cause.times.low_percent == pytest.approx(-25, rel=0.01)
    assert (cause.throughput.low_percent, cause.times.high_percent) == (0, 0)


def test_programs_that_lived_for_a_moment_are_named_and_the_rest_is_told() -> None:
    made = on_host(recording(users=2), own=1.0, waiting=0.5, foreign={"backup": 0.5})
    made.readings["processes", "7 backup"].clear()
    made.readings.update(readings("short_lived", {"ended": 400.0, "used_s": 0.4}, "all"))
    made.readings.update(readings("short_lived", {"ended": 400.0, "used_s": 0.4}, "date of sh"))
    (cause,) = price(made).causes
    foreign = reason(cause.finding, "foreign-cpu")
    assert foreign.figure("used_percent") == pytest.approx(25)
    assert programs(foreign) == [("short-lived date of sh", pytest.approx(20))]
    assert foreign.figure("rest_percent") == pytest.approx(5)
    shown = {(each.subject, each.metric) for each in readings_of([measure(made)])}
    assert shown == {("all", "ended"), ("all", "used")}, "programs are named with what they disturbed"


def test_a_load_that_never_waited_lost_nothing() -> None:
    made = on_host(recording(users=1), own=1.0, waiting=0.0, foreign={"backup": 1.0})
    assert price(made).throughput == Bound()


def test_programs_that_the_load_has_started_do_not_tell_their_waiting() -> None:
    """A command of one user keeps a processor busy alone. Others take most of both, and it gets a quarter."""

    def made(pressure: float) -> Recording:
        return on_host(
            recording(users=1),
            own=0.002,
            waiting=0.01,
            programs=0.25,
            foreign={"rustc": 1.7},
            pressure=pressure,
        )

    found = price(made(1.0))
    assert found.throughput.high_percent >= 300, "alone it would do four times as much"
    assert price(made(0.0)).throughput == Bound(), "nobody waited"


def test_one_thing_after_the_other_is_priced_by_what_its_one_thread_lost() -> None:
    """Eight users, one at a time on a tenth of a processor: a tenth of the time is a ninth of the work."""
    made = on_host(recording(users=8), own=0.1, waiting=0.1, foreign={"backup": 1.0})
    assert price(made).throughput.high_percent == pytest.approx(100 / 9, rel=0.01)


def test_threads_that_wait_for_each_other_are_the_load() -> None:
    """More users than processors, and idle processors beside waiting threads: nobody else was there."""
    assert price(on_host(recording(users=8), own=2.0, waiting=6.0)) == Disturbance()
    assert price(on_host(recording(users=4), own=1.2, waiting=0.8)) == Disturbance()


def test_steal_is_priced_by_the_loads_part_of_it() -> None:
    (cause,) = price(on_host(recording(users=2), own=1.8, steal=0.2)).causes
    assert reason(cause.finding, "steal").figure("stolen_percent") == pytest.approx(10)
    assert cause.throughput.high_percent == pytest.approx(100 * (0.2 - TICKS) / 1.8, rel=0.02)
    half = causes(on_host(recording(users=1), own=0.9, steal=0.2, foreign={"backup": 0.9}))
    assert half["processors-lost"][0].high_percent == pytest.approx(100 * 0.1 / 0.9, rel=0.05)
    assert causes(on_host(recording(), steal=TICKS)) == {}, "a tick may belong to the time before"


def test_processors_lost_to_others_and_to_the_hypervisor_are_one_cause() -> None:
    """The seconds add up: 0.2 processors ran a backup and 0.2 were stolen; 1.6 were left."""
    made = on_host(recording(users=2), own=1.6, waiting=0.2, foreign={"backup": 0.2}, steal=0.2)
    (cause,) = price(made).causes
    assert [each.rule for each in cause.finding.because] == ["foreign-cpu", "steal"]
    # Of what was stolen the load had lost its part of the time in which the processors worked.
    lost = 0.2 - TICKS + 1.6 / 1.8 * (0.2 - TICKS)
    assert cause.finding.figure("lost_s") == pytest.approx(10 * lost, rel=0.01)
    assert cause.throughput.high_percent == pytest.approx(100 * lost / 1.6, rel=0.01)
    alone = [
        on_host(recording(users=2), own=1.6, waiting=0.2, foreign={"backup": 0.2}),
        on_host(recording(users=2), own=1.6, steal=0.2),
    ]
    assert cause.throughput.high_percent > max(price(each).throughput.high_percent for each in alone)


def test_servers_do_not_tell_their_waiting_but_pressure_tells_when_nobody_waited() -> None:
    def local(pressure: float | None) -> float:
        made = on_host(
            recording(job=LOCAL), own=0.2, foreign={"postgres": 0.8, "backup": 0.5}, pressure=pressure
        )
        return price(made).throughput.high_percent

    assert local(0.0) == 0
    assert 0 < local(0.05) < local(0.5) <= local(None)


@pytest.mark.parametrize(
    "target", ["file:///raid5/data", "sqlite:///shop.sqlite", "postgresql://127.0.0.1/shop"]
)
def test_threads_of_the_kernel_work_for_a_target_on_this_machine(target: str) -> None:
    made = on_host(recording(), waiting=1.0, foreign={"[kworker/u8:1-btrfs-rmw]": 0.3})
    for foreign in ([], ["http://shop.lab"]):
        made.job["targets"] = foreign
        assert price(made).throughput.high_percent > 10
    made.job["targets"] = [target]
    assert price(made) == Disturbance()


def opened(service_ms: float, response_ms: float, **load: Any) -> Recording:
    arrivals = Arrivals(due=500, started=500, unsent=0, backlog=load.pop("backlog", 0))
    intervals = [snapshot(i, statistics(500, service_ms, response_ms), arrivals=arrivals) for i in range(10)]
    return recording(snapshots=intervals, load={"open": {"rate_per_s": 500.0, **load}})


def test_the_canary_costs_nothing() -> None:
    """It is a covariate of the figures (`test_speed`)."""
    assert price(recording(canaries=[(False, 50.0), (True, 80.0)])) == Disturbance()


def test_a_load_process_that_stood_still_costs_what_it_did_not_do() -> None:
    """One second of four: the truth is 33 % more. The run stays: dropping it would be a choice among runs."""
    made = recording([1000, 1000, 0, 1000], users=8, facts={"engine.stood_still_s": 1.0})
    (cause,) = price(made).causes
    assert (cause.rule, cause.finding.figure("stood_still_s")) == ("stood-still", 1)
    assert cause.throughput.high_percent == pytest.approx(100 / 3, rel=0.01)
    whole = [recording([1000] * 4, users=8, repeat=repeat) for repeat in (1, 2)]
    level = level_of([made, *whole])
    assert [run.used for run in level.repeats] == [True] * 3
    assert [is_disturbed(run) for run in level.repeats] == [True, False, False], "a fresh run is worth it"
    assert level.repeats[0].trust.verdict == "INVALID"
    bound = level.trust.disturbance.throughput
    assert bound.high_percent == pytest.approx(100 / 9, rel=0.01), "of the level's mean"
    assert level.trust.verdict == "SUSPECT"


def closed_queue(users: int, think_s: float, service_s: float) -> tuple[float, float]:
    """Throughput a second and response time in s of one processor (mean value analysis, Reiser and Lavenberg
    1980)."""
    waiting, response_s, per_s = 0.0, service_s, 0.0
    for there in range(1, users + 1):
        response_s = service_s * (1 + waiting)
        per_s = there / (think_s + response_s)
        waiting = per_s * response_s
    return per_s, response_s


def of_thinking_users(users: int, think_s: float, per_s: float, response_s: float, **rest: Any) -> Recording:
    load = {"closed": {"users": users, "think_time_s": think_s}}
    each = statistics(max(round(per_s), 1), 1e3 * response_s * per_s / max(round(per_s), 1))
    intervals = [snapshot(i, each, users=users, think_time_s=per_s * think_s) for i in range(10)]
    return recording(snapshots=intervals, load=load, **rest)


@given(
    users=st.integers(min_value=1, max_value=60),
    think_s=st.floats(min_value=0, max_value=4),
    others=st.floats(min_value=0.02, max_value=0.5),
)
def test_other_clients_cost_users_who_think_what_a_queue_makes_of_it(
    users: int, think_s: float, others: float
) -> None:
    """The same users on a server that is slower by as much as others load it."""
    service_s = 0.02
    per_s, response_s = closed_queue(users, think_s, service_s * (1 + others))
    undisturbed_per_s, undisturbed_s = closed_queue(users, think_s, service_s)
    made = of_thinking_users(users, think_s, per_s, response_s, job=LOCAL)
    on_host(made, own=min(per_s * service_s * (1 + others), 1.0))
    for client, share in (("own", 1.0), ("17 wrk", others)):
        # As many more requests as the transactions, which are the least that the own ones are.
        made.readings["clients", client] = [
            Reading(MEASURE_BEGIN_S + at_s, {"received": share * count}, {"connections": 1.0})
            for at_s, count in ((0.0, 0.0), (10.0, 1e6))
        ]
    throughput, times = causes(made)["other-clients"]
    assert 100 * (undisturbed_per_s / per_s - 1) <= throughput.high_percent * (1 + 2 * others) + 0.01
    assert 100 * (undisturbed_s / response_s - 1) >= times.low_percent * (1 + 2 * others) - 0.01
    assert not think_s or throughput.high_percent <= 100 * response_s / think_s + 0.01


def test_users_who_think_lose_no_more_throughput_than_their_waiting() -> None:
    """20 users at 10.6/s wait 8 ms of 1.9 s: were there no waiting at all, they would do 0.4 % more."""
    made = of_thinking_users(20, 1.88, 10.6, 0.008)
    on_host(made, own=0.08, waiting=0.1, foreign={"backup": 0.1})
    (throughput, times) = causes(made)["processors-lost"]
    assert 0 < throughput.high_percent < 0.45
    assert times.low_percent < -50, "it may have run whenever one of them waited"


def test_the_clock() -> None:
    found = causes(recording(facts={"engine.clock_drift_ppm": -20_000.0}))
    assert found["clock-drift"] == (Bound(low_percent=-2.0, high_percent=2.0),) * 2
    assert causes(recording(facts={"engine.clock_drift_ppm": 99.0})) == {}


def runs(count: int, random: np.random.Generator, noise: float, **host: Any) -> list[Recording]:
    """Repeats whose throughput differs by `noise` from run to run."""
    means = 1000 * (1 + noise * random.standard_normal(count))
    return [on_host(recording([round(mean)] * 10, repeat=i, users=2), **host) for i, mean in enumerate(means)]


def level_of(recordings: list[Recording]) -> Level:
    (level,) = one_system(recordings).levels
    return level


@pytest.mark.parametrize("noise", [0.001, 0.05])
@pytest.mark.parametrize(
    ("foreign", "verdict"),
    [(0.0, "VALID"), (0.015, "VALID"), (0.04, "SUSPECT"), (0.08, "SUSPECT"), (0.6, "INVALID")],
)
def test_the_bound_decides_whatever_the_interval_is(foreign: float, noise: float, verdict: str) -> None:
    """Others took 0.8 %, 2 %, 4 % and 43 % of what the load used; the interval is ± 0.1 % or ± 6 %."""
    made = runs(
        5, np.random.default_rng(4), noise, own=2 - foreign, waiting=foreign, foreign={"backup": foreign}
    )
    level = level_of(made)
    assert level.trust.verdict == verdict, rules(level)


def test_equal_reasons_are_one_line_and_the_bound_is_the_mean() -> None:
    random = np.random.default_rng(5)
    level = level_of(runs(5, random, 0.001, own=1.9, waiting=0.1, foreign={"backup": 0.1}))
    (found,) = level.findings
    assert (found.rule, [each.rule for each in found.because]) == ("disturbed", ["processors-lost"])
    assert {part.name: part.figure for part in found.parts} == {
        "throughput_low_percent": 0,
        "throughput_high_percent": pytest.approx(5.2, abs=0.05),
        "times_low_percent": pytest.approx(-4.9, abs=0.05),
        "times_high_percent": 0,
    }
    assert len(level.repeats) == 5
    assert all(is_disturbed(repeat) for repeat in level.repeats)


def test_a_run_that_is_disturbed_beyond_use_counts_unless_a_fresh_one_replaces_it() -> None:
    """Half of its work was lost: a bound of 20 % of the mean of five, and of none if six were executed."""
    random = np.random.default_rng(6)
    good = runs(5, random, 0.001, own=2.0)
    spoiled = runs(1, random, 0.001, own=1.0, waiting=1.0, foreign={"backup": 1.0})[0]
    spoiled.repeat = 5
    level = level_of([*good[:4], spoiled])
    assert level.throughput_per_s.n == 5
    assert all(repeat.used for repeat in level.repeats)
    assert [is_disturbed(repeat) for repeat in level.repeats] == [False] * 4 + [True]
    assert level.trust.disturbance.throughput.high_percent == pytest.approx(20, rel=0.02)
    assert level.trust.verdict == "SUSPECT"
    (system,) = analyse([*good, spoiled], intent=Intent(repeats=5))
    (level,) = system.levels
    assert (level.trust.verdict, level.throughput_per_s.n) == ("VALID", 5)
    assert [(repeat.used, repeat.replaced) for repeat in level.repeats] == [(True, False)] * 5 + [
        (False, True)
    ]
    (note,) = (each for each in level.findings if each.rule == "run-replaced")
    assert note.figure("repeat") == 6
    assert [each.rule for each in note.because] == ["disturbed"]


def test_a_driver_that_is_always_late_is_no_reason_to_run_again() -> None:
    level = level_of([opened(1.0, 1.5)])
    assert level.trust.disturbance.times.low_percent < -20
    assert not is_disturbed(level.repeats[0])


@given(own=st.floats(0.01, 2), waiting=st.floats(0, 4), foreign=st.floats(0, 2), steal=st.floats(0, 1))
def test_bounds_are_one_sided_numbers_and_add_up(
    own: float, waiting: float, foreign: float, steal: float
) -> None:
    made = recording(users=2, facts={"engine.clock_drift_ppm": 1000.0})
    found = price(on_host(made, own=own, waiting=waiting, foreign={"x": foreign}, steal=steal))
    for bound in (found.throughput, found.times):
        assert bound.low_percent <= 0 <= bound.high_percent
    assert found.throughput.width_percent == pytest.approx(
        sum(cause.throughput.width_percent for cause in found.causes)
    )
    assert mean_disturbance([found, found]).times.width_percent == pytest.approx(found.times.width_percent)


@settings(max_examples=30, deadline=None)
@given(
    own=st.floats(0.05, 1.0), other=st.floats(0, 0.5), taken=st.tuples(st.floats(0, 0.5), st.floats(0, 0.5))
)
@pytest.mark.parametrize("by", ["a program", "the hypervisor"])
def test_the_more_others_take_the_larger_is_the_bound(
    by: str, own: float, other: float, taken: tuple[float, float]
) -> None:
    """The load did as much, and its threads waited for whatever others used."""
    less, more = (
        price(
            on_host(
                recording(users=2),
                own=own,
                waiting=2.0,
                foreign={"x": each if by == "a program" else other},
                steal=each if by == "the hypervisor" else 0.0,
            )
        )
        for each in sorted(taken)
    )
    assert more.throughput.high_percent >= less.throughput.high_percent - 1e-9
    assert more.times.low_percent <= less.times.low_percent + 1e-9


def test_bounds_in_words() -> None:
    assert bound_text(Bound(high_percent=9)) == "0 to +9.0 %"
    assert bound_text(Bound(high_percent=15.04)) == "0 to +15 %"
    assert bound_text(Bound(low_percent=-0.42, high_percent=0.01)) == "-0.42 to 0 %"
    assert bound_text(Bound(low_percent=-0.01, high_percent=0.01)) == ""


def test_the_reason_has_the_bounds_and_causes_of_the_price() -> None:
    bound, times = Bound(low_percent=-0.001, high_percent=9.13), Bound(low_percent=-0.02)
    cause = Cause(finding=finding("processors-lost", lost_s=9), throughput=bound, times=times)
    found = disturbed(Disturbance(throughput=bound, times=times, causes=[cause]))
    assert found.because == (cause.finding,)
    assert [*found.parts] == parts_of(
        {
            "throughput_low_percent": -0.001,
            "throughput_high_percent": 9.13,
            "times_low_percent": -0.02,
            "times_high_percent": 0.0,
        }
    )


@pytest.mark.parametrize(
    ("servers", "busy", "expected"), [(1, 0.5, 0.5), (2, 1.0, 1 / 3), (10, 8.0, 0.4092), (3, 3.0, 1)]
)
def test_erlang_c(servers: int, busy: float, expected: float) -> None:
    """M/M/1: ρ; M/M/2: 2 ρ² / (1 + ρ); the third from tables."""
    assert erlang_c(servers, busy) == pytest.approx(expected, abs=1e-4)


def test_no_cause_takes_more_than_all() -> None:
    """An undisturbed time is never below zero, however many causes there are."""
    half = Bound(low_percent=-60.0, high_percent=5.0)
    causes = [
        Cause(finding=finding(rule), throughput=Bound(), times=half)
        for rule in ("processors-lost", "other-clients")
    ]
    found = mean_disturbance([Disturbance(causes=causes)])
    assert found.times == Bound(low_percent=-100.0, high_percent=10.0)
