"""Loads that cannot be told apart: the lowest of them is named, in the result and in each format."""

from __future__ import annotations

import numpy as np
import pytest

from igen.judge import analyse, result_of
from igen.judge.result import System
from igen.layout.level import LoadAxis, points
from igen.report.curve_words import shape_of
from igen.report.pair import common_load, headline_ratios
from igen.report.statement import reached
from tests.judge.synthetic import one_system, recording
from tests.judge.test_claims import closed
from tests.said import observation

STUDIES, LEAST = 30, 27
FLAT = {1: 250.0, 2: 500.0, 4: 1000.0, 8: 1000.0, 16: 1000.0}
LITTLE = (-0.004, -0.002, 0.0, 0.002, 0.004)
MUCH = (-0.2, 0.1, 0.0, 0.15, -0.1)


def flat(seed: int, runs: int = 5, name: str = "A", factor: float = 1.0) -> System:
    random = np.random.default_rng([seed, 7])
    means = {users: factor * mean for users, mean in FLAT.items()}
    return one_system([*closed(random, means, 0.02, runs, system=name)])


def swept(means: dict[int, tuple[float, tuple[float, ...]]]) -> System:
    return one_system(
        [
            recording([round(mean * (1 + step))] * 10, users=users, level=level, repeat=repeat)
            for level, (users, (mean, steps)) in enumerate(means.items())
            for repeat, step in enumerate(steps)
        ]
    )


@pytest.mark.parametrize("runs", [3, pytest.param(5, marks=pytest.mark.slow)])
def test_a_plateau_is_named_by_its_lowest_load(runs: int) -> None:
    """Named by its highest figure, it was at 4, 8 and 16 users in 7, 14 and 9 of 30 studies of 5 runs."""
    named = [system.peak.users for seed in range(STUDIES) if (system := flat(seed, runs)).peak]
    assert named.count(4) >= LEAST


def test_all_formats_name_the_same_load_and_figure() -> None:
    system = flat(1)
    peak, spot = system.peak, system.sweet_spot
    assert peak is not None
    assert (peak.users, peak.levels_off, peak.alike_levels) == (4, True, [3, 4])
    assert spot is None or spot.level == peak.level
    level = next(each for each in system.levels if each.level == peak.level)
    assert peak.throughput_per_s.value == level.throughput_per_s.value
    (shape,) = shape_of(system)
    axis = LoadAxis.over([system])
    for found in (observation(system, "reaches-plateau"), reached(system, axis), shape):
        assert found.part("load").text == "4 users"
        assert found.figure("throughput_per_s") == level.throughput_per_s.value
    assert points(system)[0] == ("levels off", peak)


def test_a_load_that_is_shown_to_do_less_ends_a_plateau() -> None:
    """Two users cannot be told apart from 8, but 4 between them do less."""
    system = swept({2: (4000, MUCH), 4: (3000, LITTLE), 8: (4010, LITTLE), 16: (4000, LITTLE)})
    assert system.peak is not None
    assert (system.peak.users, system.peak.alike_levels) == (8, [3])


def test_a_search_names_a_load_that_was_confirmed() -> None:
    """Four users cannot be told apart from 16, but only 8 and 16 have fresh runs."""
    means = {4: (3950, MUCH), 8: (3990, LITTLE), 16: (4000, LITTLE)}
    made = [
        recording([round(mean * (1 + step))] * 10, users=users, level=level, repeat=repeat, purpose=purpose)
        for level, (users, (mean, steps)) in enumerate(means.items())
        for purpose in ("choose", "confirm")[: 1 if users == 4 else 2]
        for repeat, step in enumerate(steps)
    ]
    peak = one_system(made).peak
    assert peak is not None
    assert (peak.users, peak.confirmed, peak.alike_levels) == (8, True, [2])


def test_two_systems_are_told_at_one_load() -> None:
    """The base levels off from 4 users on, the other grows up to 16."""
    random = np.random.default_rng(2)
    grows = {users: 240.0 * users**0.9 for users in FLAT}
    made = [*closed(random, FLAT, 0.01, 5, system="A"), *closed(random, grows, 0.01, 5, system="B")]
    result = result_of(analyse(made))
    axis = LoadAxis.of(result)
    common = common_load(result)
    assert common == 4
    assert [system.peak.users for system in result.systems if system.peak] == [4, 16]
    found = [reached(system, axis, common=common) for system in result.systems]
    assert [each.rule for each in found] == ["reached-compared"] * 2
    assert [each.part("load").text for each in found] == ["4 users"] * 2
    (ratio,) = headline_ratios(result)
    assert axis.value(ratio) == common
    assert [each.because[0].rule for each in found] == ["levels-off", "still-grows"]
