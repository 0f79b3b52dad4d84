"""Each sentence where its test passes, and none where it does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from igen.aspects.aspects import ASPECTS
from igen.judge.analyse import analyse
from igen.judge.intent import Intent
from igen.judge.observations import observations_of
from igen.judge.points import peak_of
from igen.judge.recording import Arrivals, Recording
from igen.judge.result import Resources, System
from tests.judge.synthetic import histogram, one_system, recording, snapshot, statistics
from tests.judge.test_analyse import PLATEAU, curve

SERVER = {"targets": ["postgresql://db.example/shop"]}
FLAT = {1: 7500, 2: 9700, 4: 8900, 8: 7200}


def texts(system: System) -> list[str]:
    return [each.text for each in observations_of(system, ASPECTS)]


def saying(system: System, words: str) -> list[str]:
    return [text for text in texts(system) if words in text]


@pytest.fixture(scope="module")
def plateau() -> System:
    return one_system(curve(PLATEAU, runs=5, seed=3, job=SERVER))


def test_peak_and_sweet_spot_in_one_sentence() -> None:
    """The wording of the house, on figures without noise but for the interval's sake."""
    made = [
        recording([mean + step] * 10, users=users, level=level, repeat=repeat)
        for level, (users, mean) in enumerate({48: 20_600, 64: 20_666, 96: 20_500, 128: 12_000}.items())
        for repeat, step in enumerate((-200, 0, 200))
    ]
    system = one_system(made)
    assert system.peak is not None
    assert (system.peak.chosen_among, system.peak.alike_levels) == (3, [0, 2])
    (text,) = saying(system, "peaks")
    assert "64 users (not confirmed) with 20,666 tx/s (95 % interval 19,783 to 21,163)" in text
    assert "48 to 96 users do the same within ±0.82 %; 48 is its sweet spot" in text


def test_a_peak_at_the_edge_may_lie_beyond() -> None:
    system = one_system(curve({1: 1000, 2: 2000, 4: 3000}))
    (text,) = saying(system, "does the most")
    assert text.startswith("A does the most at 4 users (not confirmed), the highest load tried, with ")
    assert ": its peak may lie beyond; " in text
    assert not saying(system, "peaks")
    failed = replace(system.levels[2], verdict="INVALID")
    invalid = replace(system, levels=[*system.levels[:2], failed], peak=peak_of(system.levels[:2]))
    assert "all higher loads are INVALID" in saying(invalid, "peaks")[0]


def test_below_the_lowest_load_nothing_is_known_to_do_less() -> None:
    (text,) = saying(one_system(curve({1: 3000, 2: 2000, 4: 1000})), "peaks")
    assert text.endswith("; that is the lowest load tried.")
    (text,) = saying(one_system(curve({1: 1000, 2: 3000, 4: 1000})), "peaks")
    assert text.endswith("; no lower load does as much.")


def test_a_sentence_does_not_span_an_invalid_level() -> None:
    made = [
        recording([mean + step] * 10, users=users, level=level, repeat=repeat)
        for level, (users, mean) in enumerate({48: 20_600, 64: 20_650, 96: 20_666, 128: 20_610}.items())
        for repeat, step in enumerate((-200, 0, 200))
    ]
    for each in made:
        if each.users == 64:
            each.outcome = "failed"
    (text,) = saying(one_system(made), "peaks")
    assert "48 users, 96 users and 128 users do the same within ±0.33 %" in text


def test_what_is_said_of_the_edge_stands_before_the_sweet_spot() -> None:
    made = [
        recording([mean + step] * 10, users=users, level=level, repeat=repeat)
        for level, (users, mean) in enumerate({48: 20_600, 64: 20_666}.items())
        for repeat, step in enumerate((-200, 0, 200))
    ]
    (text,) = saying(one_system(made), "does the most")
    assert text.index("may lie beyond") < text.index("48 is its sweet spot")


def test_noise_names_no_sweet_spot() -> None:
    made = [
        recording([count] * 10, users=users, level=level, repeat=repeat)
        for level, (users, counts) in enumerate({1: (1200, 1000, 800), 2: (900, 1200, 1500)}.items())
        for repeat, count in enumerate(counts)
    ]
    system = one_system(made)
    assert system.sweet_spot is None
    assert system.unnamed["sweet spot"].startswith("undecided")


def test_one_level_is_no_peak() -> None:
    (text,) = texts(one_system([recording([2000] * 10, users=4)]))
    assert text == "A does 2,000 tx/s (one run: no interval) at 4 users, 2 ms each."


def test_scaling_is_against_the_ideal(plateau: System) -> None:
    assert "of the ideal" in saying(plateau, "throughput grows")[0]
    assert not saying(one_system(curve({1: 1000, 2: 1001}, job=SERVER)), "throughput grows")


def test_beyond_the_peak_more_load_only_waits(plateau: System) -> None:
    (text,) = saying(plateau, "only waits")
    assert "at 32 users throughput falls to" in text
    assert "response time" not in text, "of users who never wait it restates how many they are"
    flat = one_system(curve({1: 1000, 2: 1950, 4: 1950}, runs=5, seed=5, job=SERVER))
    assert not saying(flat, "falls to")


def test_sqlite_has_one_writer() -> None:
    (text,) = saying(one_system(curve(FLAT, runs=5)), "one connection write")
    assert text.startswith(
        "SQLite lets one connection write at a time, so more users do little more: from 1 to 8"
    )
    noise = (0.5, 1.0, 1.75)
    wide = [
        recording([round(count * each)] * 10, users=users, level=level, repeat=repeat)
        for level, (users, count) in enumerate(FLAT.items())
        for repeat, each in enumerate((*noise[level % 3 :], *noise[: level % 3]))
    ]
    assert not saying(one_system(wide), "SQLite"), "whose levels are known to ± 150 %"
    assert not saying(one_system(curve(FLAT, job=SERVER)), "SQLite")
    assert not saying(one_system(curve(FLAT, job={"params": {"read_only": True}})), "SQLite")
    assert not saying(one_system(curve({1: 1000, 8: 4000})), "SQLite"), "a curve that is not flat"


@pytest.mark.parametrize(
    ("used", "words"),
    [
        (Resources(cpu_percent=97.0, cpu_user_percent=80.0, cpu_system_percent=17.0), "97 % busy at"),
        (Resources(cpu_percent=40.0, pressure_io_percent=35.0), "some task waited for them 35 % of the time"),
        (Resources(cpu_percent=40.0, pressure_io_percent=5.0), None),
        (Resources(cpu_percent=99.0, foreign_cpu_percent=60.0), None),
        (Resources(), None),
    ],
)
def test_the_bottleneck(plateau: System, used: Resources, words: str | None) -> None:
    levels = [replace(level, resources=used) for level in plateau.levels]
    found = saying(replace(plateau, levels=levels), "the limit")
    assert bool(found) == bool(words)
    assert not words or words in found[0]


def test_no_bottleneck_where_throughput_still_grows() -> None:
    growing = one_system(curve({1: 1000, 2: 2000}))
    busy = [replace(level, resources=Resources(cpu_percent=99.0)) for level in growing.levels]
    assert not saying(replace(growing, levels=busy), "the limit")


def opened(response_ms: float, longest_ms: float) -> Recording:
    arrivals = Arrivals(due=101, started=101, unsent=0, backlog=0)
    times = histogram([5_000_000] * 100 + [round(longest_ms * 1e6)])
    each = replace(statistics(101, 5.0, response_ms), service_time=times)
    intervals = [snapshot(i, each, arrivals=arrivals) for i in range(10)]
    return recording(snapshots=intervals, load={"open": {"rate_per_s": 100.0, "users": 1}})


def test_a_stall_is_told_from_waiting() -> None:
    assert (
        "a stall of 1 s is visible only from the intended start" in texts(one_system([opened(760, 1000)]))[-1]
    )
    assert "waiting for a free user" in texts(one_system([opened(760, 6)]))[-1]
    assert not saying(one_system([opened(6, 7)]), "intended")


def ten_users(stalled_s: float) -> Recording:
    """Ten users of 1,000/s, near saturation; one service took 500 ms. In the fifth second nothing ended for
    so long."""
    seconds = []
    for second in range(10):
        lost = round(1000 * stalled_s) if second == 5 else 0
        services = [9_000_000] * 900 + [40_000_000] * 99 + [500_000_000 if second == 5 else 9_000_000]
        each = replace(statistics(1000 - lost, 9.0, 800.0), service_time=histogram(services[lost:]))
        arrivals = Arrivals(due=1000, started=1000 - lost, unsent=0, backlog=0)
        seconds.append(snapshot(second, each, arrivals=arrivals))
    load = {"open": {"rate_per_s": 1000.0, "users": 10, "arrivals": "poisson"}}
    return recording(snapshots=seconds, load=load)


@pytest.mark.parametrize(("stalled_s", "is_stall"), [(0.0, False), (0.05, False), (0.25, False), (0.5, True)])
def test_a_long_service_is_a_stall_only_where_all_users_stood_still(stalled_s: float, is_stall: bool) -> None:
    """One of ten who waits for a lock takes a tenth of the half second, one of two half of it."""
    (text,) = saying(one_system([ten_users(stalled_s)]), "intended")
    assert ("a stall of 500 ms is visible only from the intended start" in text) == is_stall
    assert ("the difference is time spent waiting for a free user" in text) != is_stall


@pytest.mark.parametrize(
    ("runs", "evidence"),
    [
        (1, "mean of one run, which has no interval, below the limit"),
        (3, "95 % interval of the mean below the limit"),
    ],
)
def test_the_evidence_of_a_limit_is_what_there_is(runs: int, evidence: str) -> None:
    made = [recording([1000 + repeat] * 10, repeat=repeat) for repeat in range(runs)]
    (system,) = analyse(made, intent=Intent(response_time_limit_ms=100.0))
    (said,) = (each for each in system.observations if "answers within" in each.text)
    assert said.evidence == evidence


def test_nothing_is_concluded_from_invalid_levels(plateau: System) -> None:
    invalid: list[Any] = [replace(level, verdict="INVALID") for level in plateau.levels]
    assert texts(replace(plateau, levels=invalid, peak=None, sweet_spot=None)) == []


def test_fractals_are_called_so() -> None:
    system = one_system(curve({1: 200, 2: 390}, facts={"workload.transactions": "fractals"}))
    assert "fractals/s" in texts(system)[0]
    assert np.all(["tx/s" not in text for text in texts(system)])
