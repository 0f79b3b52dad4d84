"""What disturbs has a price: hand-made machines on which the undisturbed figure is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from igen.judge.record.recording import Recording
from igen.judge.record.snapshot import Arrivals
from igen.judge.result import Level
from igen.judge.run.measured import measure
from igen.judge.run.queueing import erlang_c
from igen.judge.run.readings import readings_of
from igen.judge.trust.baseline import Baseline, baseline_of, canary_effect
from igen.judge.trust.disturbance import Bound, Cause, Disturbance
from igen.judge.trust.finding import finding, parts_of
from igen.judge.trust.price import disturbance_of, mean_disturbance
from igen.judge.trust.validity import disturbed, is_disturbed
from igen.say.words import bound_text
from tests.judge.hosts import on_host
from tests.judge.synthetic import one_system, readings, recording, snapshot, statistics
from tests.said import rules

NO_BASELINE = Baseline(canary_spins_per_s=None, floor_s=50e-9)
LOCAL = {"targets": ["postgresql://localhost/shop"]}
TICKS = 0.002
"""One tick of each processor in 10 s, as a share."""


def price(made: Recording, baseline: Baseline = NO_BASELINE) -> Disturbance:
    return disturbance_of(measure(made), baseline)


def causes(made: Recording, baseline: Baseline = NO_BASELINE) -> dict[str, tuple[Bound, Bound]]:
    return {cause.rule: (cause.throughput, cause.times) for cause in price(made, baseline).causes}


def programs(cause: Cause) -> list[tuple[str, float | None]]:
    """Return what each program used, in percent, the busiest first."""
    return [(part.text, part.figure) for part in cause.finding.parts if part.name == "program_percent"]


def test_a_quiet_machine_costs_nothing() -> None:
    assert price(on_host(recording(users=2), own=2.0)) == Disturbance()
    assert price(recording()) == Disturbance(), "nothing was read"


def test_processors_that_others_used_are_priced_by_what_the_load_used() -> None:
    """Two users on two processors, of which others take a quarter: alone they would do a third more."""
    made = on_host(recording(users=2), own=1.5, waiting=0.5, foreign={"backup": 0.5})
    (cause,) = price(made).causes
    assert cause.rule == "foreign-cpu"
    assert cause.finding.figure("used_percent") == pytest.approx(25)
    assert programs(cause) == [("backup", pytest.approx(25))]
    assert cause.throughput.high_percent == pytest.approx(100 * 0.5 / 1.5, rel=0.01)
    assert cause.times.low_percent == pytest.approx(-25, rel=0.01)
    assert (cause.throughput.low_percent, cause.times.high_percent) == (0, 0)


def test_programs_that_lived_for_a_moment_are_named_and_the_rest_is_told() -> None:
    made = on_host(recording(users=2), own=1.0, waiting=0.5, foreign={"backup": 0.5})
    made.readings["processes", "7 backup"].clear()
    made.readings.update(readings("short_lived", {"ended": 400.0, "used_s": 0.4}, "all"))
    made.readings.update(readings("short_lived", {"ended": 400.0, "used_s": 0.4}, "date of sh"))
    (cause,) = price(made).causes
    assert cause.finding.figure("used_percent") == pytest.approx(25)
    assert programs(cause) == [("short-lived date of sh", pytest.approx(20))]
    assert cause.finding.figure("rest_percent") == pytest.approx(5)
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
    made = on_host(recording(users=2), own=1.8, steal=0.2)
    (bounds,) = causes(made).values()
    assert bounds[0].high_percent == pytest.approx(100 * (0.2 - TICKS) / 1.8, rel=0.02)
    half = causes(on_host(recording(users=1), own=0.9, steal=0.2, foreign={"backup": 0.9}))["steal"]
    assert half[0].high_percent == pytest.approx(100 * 0.1 / 0.9, rel=0.05)
    assert causes(on_host(recording(), steal=TICKS)) == {}, "a tick may belong to the time before"


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


@pytest.mark.parametrize(
    ("speed", "effect", "low", "high"),
    [
        (95.0, 1.0, 0.0, 5.0),
        (105.0, 1.0, -4.76, 0.0),
        (99.5, 1.0, 0.0, 0.0),
        (95.0, 0.25, 0.0, 1.25),
        (95.0, 0.0, 0.0, 0.0),
    ],
)
def test_the_canary_is_a_covariate(speed: float, effect: float, low: float, high: float) -> None:
    made = recording(canaries=[(False, speed), (True, speed)])
    bound = price(made, Baseline(100.0, 0.0, effect)).throughput
    assert (bound.low_percent, bound.high_percent) == pytest.approx((low, high), abs=0.02)


def test_a_load_process_that_stood_still_costs_what_it_did_not_do() -> None:
    """One second of four: the truth is 33 % more, and the run does not stand for its level beside others."""
    made = recording([1000, 1000, 0, 1000], users=8, facts={"engine.stood_still_s": 1.0})
    (cause,) = price(made).causes
    assert (cause.rule, cause.finding.figure("stood_still_s")) == ("stood-still", 1)
    assert cause.throughput.high_percent == pytest.approx(100 / 3, rel=0.01)
    whole = [recording([1000] * 4, users=8, repeat=repeat) for repeat in (1, 2)]
    level = level_of([made, *whole])
    assert [run.used for run in level.repeats] == [False, True, True]
    assert is_disturbed(level.repeats[0]), "a fresh run is worth it"
    assert level.throughput_per_s.value == 1000


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
    slower=st.floats(min_value=0.02, max_value=0.1),
)
def test_a_slower_machine_costs_users_who_think_what_a_queue_makes_of_it(
    users: int, think_s: float, slower: float
) -> None:
    """The same users on a machine that is slower by so much, which a canary tells."""
    service_s = 0.02
    per_s, response_s = closed_queue(users, think_s, service_s * (1 + slower))
    undisturbed_per_s, undisturbed_s = closed_queue(users, think_s, service_s)
    made = of_thinking_users(users, think_s, per_s, response_s, canaries=[(False, 100 / (1 + slower))])
    on_host(made, own=per_s * service_s * (1 + slower))
    throughput, times = causes(made, Baseline(100.0, 0.0))["canary"]
    assert 100 * (undisturbed_per_s / per_s - 1) <= throughput.high_percent * (1 + 2 * slower) + 0.01
    assert 100 * (undisturbed_s / response_s - 1) >= times.low_percent * (1 + 2 * slower) - 0.01
    assert not think_s or throughput.high_percent <= 100 * response_s / think_s + 0.01


def test_users_who_think_lose_no_more_throughput_than_their_waiting() -> None:
    """20 users at 10.6/s wait 8 ms of 1.9 s: were there no waiting at all, they would do 0.4 % more."""
    made = of_thinking_users(20, 1.88, 10.6, 0.008)
    on_host(made, own=0.08, waiting=0.1, foreign={"backup": 0.1})
    (throughput, times) = causes(made)["foreign-cpu"]
    assert 0 < throughput.high_percent < 0.45
    assert times.low_percent < -50, "it may have run whenever one of them waited"
    (throughput, times) = causes(
        of_thinking_users(20, 1.88, 10.6, 0.008, canaries=[(False, 98.3)]), Baseline(100.0, 0.0)
    )["canary"]
    assert throughput.high_percent < 0.2


def test_a_slow_canary_that_others_explain_costs_nothing_more() -> None:
    made = on_host(
        recording(users=2, canaries=[(False, 80.0)]), own=1.5, waiting=0.5, foreign={"backup": 0.5}
    )
    assert causes(made, Baseline(100.0, 0.0)).keys() == {"foreign-cpu"}


def test_what_the_canary_does_is_learned_from_the_repeats() -> None:
    random = np.random.default_rng(3)

    def study(effect: float) -> list[Recording]:
        made = []
        for repeat, speed in enumerate(1 + 0.05 * random.standard_normal(20)):
            counts = [round(10_000 * speed**effect * (1 + 0.001 * random.standard_normal()))] * 5
            made.append(recording(counts, repeat=repeat, canaries=[(False, 100 * speed)]))
        return made

    assert canary_effect(study(1.0)) == pytest.approx(1.0, abs=0.02)
    assert canary_effect(study(0.0)) < 0.05
    assert canary_effect(study(0.0)[:3]) == 1.0, "too few to tell"
    assert baseline_of(study(0.0), 40.0).floor_s == 40e-9


def holding_still(seed: int) -> list[Recording]:
    """Ten repeats on a machine that holds still: throughput and canary have noise of their own alone."""
    random = np.random.default_rng(seed)
    made = []
    for repeat in range(10):
        counts = [round(10_000 * (1 + 0.02 * random.standard_normal()))] * 5
        before, after = 100 * (1 + 0.002 * random.standard_normal(2))
        made.append(recording(counts, repeat=repeat, canaries=[(False, before), (True, after)]))
    return made


def test_noise_of_the_canary_says_nothing_about_its_effect() -> None:
    """By chance the throughput falls where the canary rises; that is no work that sleeps."""
    assert [canary_effect(holding_still(seed)) for seed in range(200)] == [1.0] * 200


def test_the_noise_of_a_canary_makes_its_effect_no_smaller() -> None:
    """Its own noise is a fifth of what it varies by, and would take a fifth of the slope of 0.5."""
    random = np.random.default_rng(3)
    made = []
    for repeat in range(2000):
        speed = 1 + 0.02 * random.standard_normal()
        told = [(after, 100 * speed * (1 + 0.012 * random.standard_normal())) for after in (False, True)]
        made.append(recording([round(10_000 * speed**0.5)] * 5, repeat=repeat, canaries=told))
    assert canary_effect(made) == pytest.approx(0.51, abs=0.03)


def test_a_calm_canary_tells_smaller_differences() -> None:
    """Three standard deviations of the mean of two of 0.2 % each; of one that jumps 1 % and no more."""
    calm = baseline_of([each for seed in range(30) for each in holding_still(seed)], None)
    assert calm.canary_noise_percent == pytest.approx(100 * 3 * 0.002 / 2**0.5, rel=0.15)
    off = recording(canaries=[(False, 99.2), (True, 99.2)])
    assert causes(off, calm)["canary"][0].high_percent == pytest.approx(0.8, abs=0.2)
    jumping = [recording(canaries=[(False, 100.0), (True, 90.0)], repeat=repeat) for repeat in range(3)]
    assert baseline_of(jumping, None).canary_noise_percent == 1.0


def test_runs_on_a_faster_and_on_a_slower_machine_pay_for_each_other() -> None:
    parts = [
        price(recording(canaries=[(False, speed)]), Baseline(100.0, 0.0)) for speed in (95.0, 105.0, 100.0)
    ]
    bound = mean_disturbance(parts).throughput
    assert (bound.low_percent, bound.high_percent) == pytest.approx((0.0, (5 - 4.76) / 3), abs=0.01)


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


def test_the_verdict_holds_the_price_against_the_interval() -> None:
    """Others took 1 %, 4 % and 30 % of what the load used; the interval is ± 0.1 % or some ± 10 %."""
    random = np.random.default_rng(4)
    for foreign, noise, verdict in (
        (0.0, 0.001, "VALID"),
        (0.015, 0.001, "VALID"),
        (0.08, 0.001, "SUSPECT"),
        (0.08, 0.1, "VALID"),
        (0.6, 0.001, "INVALID"),
        (0.6, 0.1, "INVALID"),
    ):
        level = level_of(
            runs(5, random, noise, own=2 - foreign, waiting=foreign, foreign={"backup": foreign})
        )
        assert level.trust.verdict == verdict, (foreign, noise, rules(level))


def test_equal_reasons_are_one_line_and_the_bound_is_the_mean() -> None:
    random = np.random.default_rng(5)
    level = level_of(runs(5, random, 0.001, own=1.9, waiting=0.1, foreign={"backup": 0.1}))
    (reason,) = level.findings
    assert (reason.rule, [each.rule for each in reason.because]) == ("disturbed", ["foreign-cpu"])
    assert {part.name: part.figure for part in reason.parts} == {
        "throughput_low_percent": 0,
        "throughput_high_percent": pytest.approx(5.2, abs=0.05),
        "times_low_percent": pytest.approx(-4.9, abs=0.05),
        "times_high_percent": 0,
    }
    assert len(level.repeats) == 5
    assert all(is_disturbed(repeat) for repeat in level.repeats)


def test_a_run_that_is_disturbed_beyond_use_is_left_out_beside_others() -> None:
    random = np.random.default_rng(6)
    good = runs(4, random, 0.001, own=2.0)
    spoiled = runs(1, random, 0.001, own=1.0, waiting=1.0, foreign={"backup": 1.0})[0]
    spoiled.repeat = 4
    level = level_of([*good, spoiled])
    assert (level.trust.verdict, level.throughput_per_s.n) == ("VALID", 4)
    assert [repeat.used for repeat in level.repeats] == [True] * 4 + [False]
    assert [is_disturbed(repeat) for repeat in level.repeats] == [False] * 4 + [True]
    (note,) = (each for each in level.findings if each.rule == "run-left-out")
    assert note.figure("repeat") == 5
    assert [each.rule for each in note.because] == ["disturbed-beyond-use"]


def test_a_driver_that_is_always_late_is_no_reason_to_run_again() -> None:
    level = level_of([opened(1.0, 1.5)])
    assert level.trust.disturbance.times.low_percent < -20
    assert not is_disturbed(level.repeats[0])


@given(
    own=st.floats(0.01, 2),
    waiting=st.floats(0, 4),
    foreign=st.floats(0, 2),
    steal=st.floats(0, 1),
    speed=st.floats(50, 150),
)
def test_bounds_are_one_sided_numbers_and_add_up(
    own: float, waiting: float, foreign: float, steal: float, speed: float
) -> None:
    made = recording(users=2, canaries=[(False, speed)])
    found = price(
        on_host(made, own=own, waiting=waiting, foreign={"x": foreign}, steal=steal), Baseline(100.0, 0)
    )
    for bound in (found.throughput, found.times):
        assert bound.low_percent <= 0 <= bound.high_percent
    assert found.throughput.width_percent == pytest.approx(
        sum(cause.throughput.width_percent for cause in found.causes)
    )
    assert mean_disturbance([found, found]).times.width_percent == pytest.approx(found.times.width_percent)


def test_bounds_in_words() -> None:
    assert bound_text(Bound(high_percent=9)) == "0 to +9.0 %"
    assert bound_text(Bound(high_percent=15.04)) == "0 to +15 %"
    assert bound_text(Bound(low_percent=-0.42, high_percent=0.01)) == "-0.42 to 0 %"
    assert bound_text(Bound(low_percent=-0.01, high_percent=0.01)) == ""


def test_the_reason_has_the_bounds_and_causes_of_the_price() -> None:
    bound, times = Bound(low_percent=-0.001, high_percent=9.13), Bound(low_percent=-0.02)
    cause = Cause(finding=finding("foreign-cpu", used_percent=9), throughput=bound, times=times)
    reason = disturbed(Disturbance(throughput=bound, times=times, causes=[cause]))
    assert reason.because == (cause.finding,)
    assert [*reason.parts] == parts_of(
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
        Cause(finding=finding(rule), throughput=Bound(), times=half) for rule in ("steal", "foreign-cpu")
    ]
    found = mean_disturbance([Disturbance(causes=causes)])
    assert found.times == Bound(low_percent=-100.0, high_percent=10.0)
