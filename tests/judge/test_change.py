"""Change points of series with a known truth: how often chance makes one, and how often one is found."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from igen.judge.compare.change import Floats, change_points, resemblance, segments
from igen.judge.trust.rules.comparison import FALSE_CHANGES, LEAST_HISTORY

HISTORIES = 300
BY_CHANCE = 0.03
"""Twice the standard error of a share of 0.05 in so many histories, and a little."""
NOISE: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "normal": lambda random, n: random.standard_normal(n),
    "with outliers": lambda random, n: random.standard_t(3, n),
    "skewed": lambda random, n: np.exp(random.standard_normal(n)),
    "a fifth of the runs slow": lambda random, n: (
        np.where(random.random(n) < 0.2, -6.0, 0.0) + 0.5 * random.standard_normal(n)
    ),
}


def series(values: Floats) -> list[float]:
    """Throughputs around 1,000/s with a standard deviation of 2 %."""
    return [float(each) for each in 1000 * np.exp(0.02 * values)]


# The middle one is between the two that stay.
@pytest.mark.parametrize("runs", [LEAST_HISTORY.value, pytest.param(20, marks=pytest.mark.slow), 50])
@pytest.mark.parametrize("noise", NOISE)
def test_false_alarms(noise: str, runs: int) -> None:
    random = np.random.default_rng(3)
    found = sum(bool(change_points(series(NOISE[noise](random, runs)))) for _ in range(HISTORIES))
    assert found / HISTORIES <= FALSE_CHANGES.value + BY_CHANCE


@pytest.mark.parametrize(("correlation", "most"), [(0.3, 0.12), (0.5, 0.25)])
@pytest.mark.parametrize("runs", [10, pytest.param(20, marks=pytest.mark.slow), 50])
def test_false_alarms_where_a_run_resembles_the_one_before_it(
    runs: int, correlation: float, most: float
) -> None:
    random, found = np.random.default_rng(6), 0
    for _ in range(HISTORIES):
        noise = random.standard_normal(runs + 30)
        for at in range(1, len(noise)):
            noise[at] = correlation * noise[at - 1] + (1 - correlation**2) ** 0.5 * noise[at]
        found += bool(change_points(series(noise[30:])))
    assert found / HISTORIES <= most + BY_CHANCE


@pytest.mark.parametrize(("effect", "before", "after"), [(2.5, 8, 8), (2.5, 20, 6), (3.0, 6, 6)])
def test_a_change_is_found_where_it_is(effect: float, before: int, after: int) -> None:
    random, found, placed = np.random.default_rng(4), 0, 0
    for _ in range(HISTORIES):
        noise = random.standard_normal(before + after)
        noise[before:] -= effect
        changes = change_points(series(noise))
        found += bool(changes)
        placed += any(abs(change.at - before) <= 1 for change in changes)
    assert found / HISTORIES >= 0.9
    assert placed / HISTORIES >= 0.8


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
