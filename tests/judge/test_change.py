"""Change points of series with a known truth: how often chance makes one, and how often one is found."""

from __future__ import annotations

import numpy as np
import pytest

from igen.judge.compare.change import change_points, odd_runs, resemblance, segments
from igen.judge.trust.rules.comparison import FALSE_CHANGES, LEAST_HISTORY
from tests.judge.histories import NOISE, Scenario, series, shares

HISTORIES = 200
BY_CHANCE = 0.03
"""Twice the standard error of a share of 0.05 in so many histories, and a little."""


@pytest.mark.parametrize("runs", [LEAST_HISTORY.value, 14, pytest.param(50, marks=pytest.mark.slow)])
@pytest.mark.parametrize("noise", NOISE)
def test_false_alarms(noise: str, runs: int) -> None:
    histories = HISTORIES if runs < 50 else 500
    assert shares(Scenario(runs, noise), histories).any <= FALSE_CHANGES.value + BY_CHANCE


@pytest.mark.parametrize(("noise", "most"), [("correlation 0.3", 0.12), ("correlation 0.5", 0.25)])
@pytest.mark.parametrize("runs", [10, *(pytest.param(runs, marks=pytest.mark.slow) for runs in (20, 50))])
def test_false_alarms_where_a_run_resembles_the_one_before_it(runs: int, noise: str, most: float) -> None:
    assert shares(Scenario(runs, noise), HISTORIES, seed=6).any <= most + BY_CHANCE


@pytest.mark.parametrize(
    ("effect", "before", "after", "least"),
    [(2.5, 8, 8, 0.8), pytest.param(2.5, 20, 6, 0.9, marks=pytest.mark.slow), (4.0, 6, 6, 0.9)],
)
def test_a_change_is_found_where_it_is(effect: float, before: int, after: int, least: float) -> None:
    histories = 60
    found = shares(Scenario(before + after, effect=effect, edges=(before,)), histories, seed=4)
    by_chance = 2 * (least * (1 - least) / histories) ** 0.5
    assert found.any >= least - by_chance
    assert found.near >= 0.8 - by_chance


@pytest.mark.parametrize(
    ("runs", "begin", "end"),
    [(16, 6, 10), *(pytest.param(*each, marks=pytest.mark.slow) for each in ((20, 8, 11), (30, 12, 17)))],
)
def test_a_change_that_was_undone_is_found(runs: int, begin: int, end: int) -> None:
    found = shares(Scenario(runs, effect=5.0, edges=(begin, end)), histories=40)
    assert found.near >= 0.9 - 2 * (0.9 * 0.1 / 40) ** 0.5


@pytest.mark.parametrize("odd", [-20.0, pytest.param(10.0, marks=pytest.mark.slow)])
def test_an_odd_run_does_not_draw_a_change_to_itself(odd: float) -> None:
    found = shares(Scenario(20, effect=5.0, edges=(14,), odd=odd), histories=36)
    assert found.named >= 0.9 - 2 * (0.9 * 0.1 / 36) ** 0.5
    assert found.near >= 0.9


def test_one_and_two_odd_runs_are_named_and_a_change_is_not_odd() -> None:
    noise = np.random.default_rng(5).standard_normal(40)
    noise[30:] -= 20
    assert odd_runs(series(noise)) == {}
    noise[[12, 13, 25]] += [-30, -25, 40]
    found = odd_runs(series(noise))
    assert sorted(found) == [12, 13, 25]
    assert all(900 < value < 1100 for value in found.values())
    assert [change.at for change in change_points(series(noise))] == [30]


def test_normal_noise_has_few_odd_runs() -> None:
    random = np.random.default_rng(9)
    for runs in (10, 20, 50):
        assert np.mean([bool(odd_runs(series(random.standard_normal(runs)))) for _ in range(400)]) <= 0.08


def test_two_changes_are_two() -> None:
    random = np.random.default_rng(5)
    noise = random.standard_normal(45)
    noise[15:] += 6
    noise[30:] -= 12
    values = series(noise)
    changes = change_points(values)
    assert [change.at for change in changes] == [15, 30]
    assert [len(part) for part in segments(values, changes)] == [15, 15, 15]


@pytest.mark.parametrize("values", [[], [1.0], [1.0] * 50, [1.0, 2.0] * 3])
def test_nothing_to_find(values: list[float]) -> None:
    assert change_points(values) == []


def test_one_odd_run_is_noise() -> None:
    values = series(np.random.default_rng(6).standard_normal(20))
    assert change_points([*values[:10], 0.5 * values[10], *values[11:]]) == []


def test_the_same_series_has_the_same_changes() -> None:
    values = series(np.r_[np.zeros(6), np.full(6, 3.0)] + np.random.default_rng(7).standard_normal(12))
    assert change_points(values) == change_points(values)


def test_runs_that_resemble_each_other() -> None:
    random = np.random.default_rng(8)
    noise = random.standard_normal(60)
    alone = resemblance(series(noise), [])
    for at in range(1, 60):
        noise[at] += 0.7 * noise[at - 1]
    alike = resemblance(series(noise), [])
    assert alone is not None
    assert alike is not None
    assert abs(alone) < 0.25
    assert alike > 0.4
    assert resemblance([1.0] * 20, []) is None
    assert resemblance([1.0, 2.0, 3.0], []) is None
