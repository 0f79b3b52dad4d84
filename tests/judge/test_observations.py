"""Each observation if its test passes, and none if it does not."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import pytest
from msgspec import structs

from igen.aspects.aspects import ASPECTS
from igen.judge import analyse
from igen.judge.curve.observations import observations_of
from igen.judge.curve.points import peak_of
from igen.judge.intent import Intent
from igen.judge.record.form import Arrivals
from igen.judge.record.recording import Recording
from igen.judge.result import Finding, Resources, System
from igen.judge.trust.trust import Trust
from tests.judge.synthetic import histogram, one_system, recording, snapshot, statistics
from tests.judge.test_analyse import PLATEAU, curve
from tests.said import has, observation, reason

SERVER = {"targets": ["postgresql://db.example/shop"]}
BOTTLENECKS = ("cpu-bound", "io-bound")
HIDDEN = ("hidden-stall", "hidden-wait")
FLAT = {1: 7500, 2: 9700, 4: 8900, 8: 7200}


def found_in(system: System, *rules: str) -> list[Finding]:
    """Return the observations of these rules; of all without one."""
    found = observations_of(system, ASPECTS)
    return [each for each in found if not rules or each.rule in rules]


def added(found: Finding) -> list[str]:
    """Return the rules of what an observation adds."""
    return [each.rule for each in found.because]


@pytest.fixture(scope="module")
def plateau() -> System:
    return one_system(curve(PLATEAU, runs=5, seed=3, job=SERVER))


def test_a_plateau_and_its_start_in_one_observation() -> None:
    """Figures without noise but for the interval's sake, whose spread is known from four levels."""
    made = [
        recording([mean + step] * 10, users=users, level=level, repeat=repeat)
        for level, (users, mean) in enumerate({48: 20_600, 64: 20_666, 96: 20_500, 128: 12_000}.items())
        for repeat, step in enumerate((-200, 0, 200))
    ]
    system = one_system(made)
    assert system.peak is not None
    assert (system.peak.chosen_among, system.peak.alike_levels) == (3, [1, 2])
    (found,) = found_in(system, "reaches-plateau")
    assert (found.part("system").text, found.part("load").text) == ("A", "48 users")
    throughput = found.part("throughput_per_s")
    assert (throughput.figure, throughput.text) == (pytest.approx(20_600, abs=0.5), "transactions")
    assert throughput.span == (pytest.approx(20_178, abs=1), pytest.approx(20_927, abs=1))
    assert added(found) == ["best-of-loads", "alike-loads", "lowest-load-tried"], "it is not confirmed"
    assert reason(found, "best-of-loads").figure("loads") == 3
    alike = reason(found, "alike-loads")
    assert alike.part("loads").text == "48 to 96 users"
    assert alike.figure("within_percent") == pytest.approx(0.82, abs=0.005)


def test_a_peak_at_the_edge_may_lie_beyond() -> None:
    system = one_system(curve({1: 1000, 2: 2000, 4: 3000}))
    (found,) = found_in(system, "most-of-loads-tried", "peak")
    assert (found.rule, found.part("load").text) == ("most-of-loads-tried", "4 users")
    assert "confirmed" not in added(found)
    failed = replace(system.levels[2], trust=Trust(throughput="INVALID", times="INVALID"))
    invalid = replace(system, levels=[*system.levels[:2], failed], peak=peak_of(system.levels[:2]))
    assert "higher-loads-invalid" in added(found_in(invalid, "peak")[0])


def test_below_the_lowest_load_nothing_is_known_to_do_less() -> None:
    (found,) = found_in(one_system(curve({1: 3000, 2: 2000, 4: 1000})), "peak")
    assert added(found)[-1] == "lowest-load-tried"
    (found,) = found_in(one_system(curve({1: 1000, 2: 3000, 4: 1000})), "peak")
    assert added(found)[-1] == "no-lower-load-does-as-much"


def test_loads_that_do_the_same_do_not_span_an_invalid_level() -> None:
    made = [
        recording([mean + step] * 10, users=users, level=level, repeat=repeat)
        for level, (users, mean) in enumerate({48: 20_600, 64: 20_650, 96: 20_666, 128: 20_610}.items())
        for repeat, step in enumerate((-200, 0, 200))
    ]
    for each in made:
        if each.users == 64:
            each.outcome = "failed"
    alike = reason(found_in(one_system(made), "reaches-plateau")[0], "alike-loads")
    assert alike.part("loads").text == "48 users, 96 users and 128 users"
    assert alike.figure("within_percent") == pytest.approx(0.33, abs=0.005)


def test_the_highest_load_tried_may_be_of_a_plateau() -> None:
    made = [
        recording([mean + step] * 10, users=users, level=level, repeat=repeat)
        for level, (users, mean) in enumerate({48: 20_600, 64: 20_666}.items())
        for repeat, step in enumerate((-200, 0, 200))
    ]
    (found,) = found_in(one_system(made), "reaches-plateau")
    assert (added(found)[-1], found.part("load").text) == ("lowest-load-tried", "48 users")


def test_noise_names_no_sweet_spot() -> None:
    made = [
        recording([count] * 10, users=users, level=level, repeat=repeat)
        for level, (users, counts) in enumerate({1: (1200, 1000, 800), 2: (900, 1200, 1500)}.items())
        for repeat, count in enumerate(counts)
    ]
    system = one_system(made)
    assert system.sweet_spot is None
    assert system.unnamed["sweet spot"].rule == "lower-load-undecided"


def test_one_level_is_no_peak() -> None:
    (found,) = found_in(one_system([recording([2000] * 10, users=4)]))
    assert (found.rule, found.part("system").text, found.part("load").text) == ("single-load", "A", "4 users")
    throughput = found.part("throughput_per_s")
    assert (throughput.figure, throughput.span, found.figure("runs")) == (2000, None, 1)
    assert found.figure("response_time_ms") == pytest.approx(2, abs=0.05)


def test_scaling_is_against_the_ideal(plateau: System) -> None:
    (found,) = found_in(plateau, "growth")
    peak = plateau.peak
    assert peak is not None
    assert peak.users is not None
    lowest = found.figure("lowest_users")
    assert (lowest, found.figure("ideal")) == (plateau.levels[0].users, peak.users / lowest)
    assert 1 < found.figure("ratio") < found.figure("ideal")
    assert not found_in(one_system(curve({1: 1000, 2: 1001}, job=SERVER)), "growth")


def test_beyond_the_peak_more_load_only_waits(plateau: System) -> None:
    (found,) = found_in(plateau, "falls-beyond-peak", "waits-beyond-peak")
    assert (found.rule, found.part("higher_load").text) == ("falls-beyond-peak", "32 users")
    assert found.figure("ratio") < 1
    assert not has(found, "times_ratio"), "of users who never wait it restates how many they are"
    flat = one_system(curve({1: 1000, 2: 1950, 4: 1950}, runs=5, seed=5, job=SERVER))
    assert not found_in(flat, "falls-beyond-peak")


def test_sqlite_has_one_writer() -> None:
    (found,) = found_in(one_system(curve(FLAT, runs=5)), "one-writer")
    assert (found.figure("least_users"), found.figure("most_users")) == (1, 8)
    noise = (0.5, 1.0, 1.75)
    wide = [
        recording([round(count * each)] * 10, users=users, level=level, repeat=repeat)
        for level, (users, count) in enumerate(FLAT.items())
        for repeat, each in enumerate((*noise[level % 3 :], *noise[: level % 3]))
    ]
    assert not found_in(one_system(wide), "one-writer"), "whose levels are known to ± 150 %"
    assert not found_in(one_system(curve(FLAT, job=SERVER)), "one-writer")
    assert not found_in(one_system(curve(FLAT, job={"params": {"read_only": True}})), "one-writer")
    assert not found_in(one_system(curve({1: 1000, 8: 4000})), "one-writer"), "a curve that is not flat"


@pytest.mark.parametrize(
    ("used", "rule"),
    [
        (Resources(cpu_percent=97.0, cpu_user_percent=80.0, cpu_system_percent=17.0), "cpu-bound"),
        (Resources(cpu_percent=40.0, pressure_io_percent=35.0), "io-bound"),
        (Resources(cpu_percent=40.0, pressure_io_percent=5.0), None),
        (Resources(cpu_percent=99.0, foreign_cpu_percent=60.0), None),
        (Resources(), None),
    ],
)
def test_the_bottleneck(plateau: System, used: Resources, rule: str | None) -> None:
    levels = [replace(level, resources=used) for level in plateau.levels]
    found = found_in(replace(plateau, levels=levels), *BOTTLENECKS)
    assert [each.rule for each in found] == ([rule] if rule else [])
    for each in found:
        shares = {part.name: part.figure for part in each.parts if part.figure is not None}
        assert shares == {name: value for name, value in asdict(used).items() if value is not None}


def test_no_bottleneck_where_throughput_still_grows() -> None:
    growing = one_system(curve({1: 1000, 2: 2000}))
    busy = [replace(level, resources=Resources(cpu_percent=99.0)) for level in growing.levels]
    assert not found_in(replace(growing, levels=busy), *BOTTLENECKS)


def opened(response_ms: float, longest_ms: float) -> Recording:
    arrivals = Arrivals(due=101, started=101, unsent=0, backlog=0)
    times = histogram([5_000_000] * 100 + [round(longest_ms * 1e6)])
    each = structs.replace(statistics(101, 5.0, response_ms), service_time=times)
    intervals = [snapshot(i, each, arrivals=arrivals) for i in range(10)]
    return recording(snapshots=intervals, load={"open": {"rate_per_s": 100.0, "users": 1}})


def test_a_stall_is_told_from_waiting() -> None:
    (stall,) = found_in(one_system([opened(760, 1000)]), *HIDDEN)
    assert stall.rule == "hidden-stall"
    assert stall.figure("longest_service_ms") == pytest.approx(1000, rel=0.01)
    (wait,) = found_in(one_system([opened(760, 6)]), *HIDDEN)
    assert wait.rule == "hidden-wait"
    assert not found_in(one_system([opened(6, 7)]), *HIDDEN)


def ten_users(stalled_s: float) -> Recording:
    """Ten users of 1,000/s, near saturation; one service took 500 ms. In the fifth second nothing ended for
    so long."""
    seconds = []
    for second in range(10):
        lost = round(1000 * stalled_s) if second == 5 else 0
        services = [9_000_000] * 900 + [40_000_000] * 99 + [500_000_000 if second == 5 else 9_000_000]
        each = structs.replace(statistics(1000 - lost, 9.0, 800.0), service_time=histogram(services[lost:]))
        arrivals = Arrivals(due=1000, started=1000 - lost, unsent=0, backlog=0)
        seconds.append(snapshot(second, each, arrivals=arrivals))
    load = {"open": {"rate_per_s": 1000.0, "users": 10, "arrivals": "poisson"}}
    return recording(snapshots=seconds, load=load)


@pytest.mark.parametrize(("stalled_s", "is_stall"), [(0.0, False), (0.05, False), (0.25, False), (0.5, True)])
def test_a_long_service_is_a_stall_only_where_all_users_stood_still(stalled_s: float, is_stall: bool) -> None:
    """One of ten who waits for a lock takes a tenth of the half second, one of two half of it."""
    (found,) = found_in(one_system([ten_users(stalled_s)]), *HIDDEN)
    assert found.rule == ("hidden-stall" if is_stall else "hidden-wait")
    assert found.figure("longest_service_ms") == pytest.approx(500, rel=0.01)


@pytest.mark.parametrize(
    ("runs", "without_interval"),
    [(1, [1]), (3, [])],
)
def test_the_evidence_of_a_limit_is_what_there_is(runs: int, without_interval: list[int]) -> None:
    made = [recording([1000 + repeat] * 10, repeat=repeat) for repeat in range(runs)]
    (system,) = analyse(made, intent=Intent(response_time_limit_ms=100.0))
    found = observation(system, "within-limit")
    assert [part.figure for part in found.parts if part.name == "runs"] == without_interval


def test_nothing_is_concluded_from_invalid_levels(plateau: System) -> None:
    invalid: list[Any] = [
        replace(level, trust=Trust(throughput="INVALID", times="INVALID")) for level in plateau.levels
    ]
    assert found_in(replace(plateau, levels=invalid, peak=None, sweet_spot=None)) == []


def test_fractals_are_called_so() -> None:
    system = one_system(curve({1: 200, 2: 390}, facts={"workload.transactions": "fractals"}))
    found = found_in(system)
    assert found[0].part("throughput_per_s").text == "fractals"
    named = {part.text for each in found for part in each.parts if part.name == "throughput_per_s"}
    assert named == {"fractals"}
