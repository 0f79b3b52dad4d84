"""What is cut from the front: approaches of a level, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from igen.judge.run.approach import approach, mser
from igen.judge.run.steady import steadiness
from igen.judge.trust.trend import Series as Intervals
from igen.judge.trust.trend import shared_change
from tests.judge.noise import LEVEL, Series

LEVELS = 60


def levels(make: object, runs: int, seed: int = 6) -> list[np.ndarray]:
    series = Series(seed, runs)
    assert callable(make)
    return [make(series) for _ in range(LEVELS)]


def cuts(make: object, runs: int) -> np.ndarray:
    return np.array([approach(list(each / LEVEL)).cut for each in levels(make, runs)])


@pytest.mark.parametrize(("depth", "intervals"), [(0.4, 4), (0.2, 4), (0.2, 2), (0.1, 5)])
def test_an_approach_is_cut_and_leaves_no_bias(depth: float, intervals: float) -> None:
    errors, uncut = [], []
    for series in levels(lambda each: each.warm_up(depth, intervals), 5):
        told = steadiness(series.tolist(), may_cut=True)
        if told.cut:
            errors.append(series[:, told.cut :].mean() / LEVEL - 1)
            uncut.append(series.mean() / LEVEL - 1)
    assert len(errors) > 0.7 * LEVELS
    assert abs(np.mean(errors)) < 0.001
    assert np.mean(uncut) < -0.006


@pytest.mark.parametrize("runs", [1, 5])
@pytest.mark.parametrize(
    "make",
    [
        lambda series: series.noise(2),
        lambda series: series.noise(2, 0.5),
        lambda series: series.outage(),
        lambda series: series.outage(0),
        lambda series: series.outage(3),
        lambda series: series.step(),
        lambda series: series.noise(2) * np.where(series.time < 0.3, 0.8, 1.0),
        lambda series: series.sawtooth(20, 0.3),
        lambda series: series.sawtooth(45, 0.3),
        lambda series: series.drift(10, 2),
    ],
    ids=[
        "noise",
        "correlated noise",
        "outage",
        "outage at the begin",
        "early outage",
        "step",
        "early step",
        "sawtooth",
        "one tooth",
        "drift",
    ],
)
def test_nothing_else_is_cut(make: object, runs: int) -> None:
    assert np.mean(cuts(make, runs) > 0) <= 0.08


def test_a_machine_that_begins_too_fast_is_cut_as_well() -> None:
    series = Series(7, 5)
    found = [approach(list(series.warm_up(-0.3, 4) / LEVEL)).cut for _ in range(20)]
    assert np.median(found) >= 8


def test_an_approach_that_does_not_end_is_not_cut() -> None:
    """Half of the run is the most that may be cut: a front that goes as far has an end that nobody saw."""
    series = 100 * (1 - 0.5 * np.exp(-np.arange(50) / 5))
    found = steadiness([series.tolist()] * 3, may_cut=True)
    assert found.cut == 0
    for of_run in found.shapes:
        (warm_up,) = (each for each in of_run if each.rule == "long-warm-up")
        assert warm_up.figure("warm_up_s") == 24


@pytest.mark.parametrize("intervals", [15, 50])
def test_a_slow_approach_that_is_not_cut_is_a_trend(intervals: int) -> None:
    """Whatever is not cut in 20 intervals and is in all runs makes the level SUSPECT."""
    series = 100 * (1 - 0.2 * np.exp(-np.arange(20) / intervals))
    found = steadiness([series.tolist()] * 3, may_cut=True)
    assert found.cut == 0
    assert shared_change([Intervals(series, np.ones(20))] * 3) > 0.02


def test_nothing_is_cut_off_a_constant_series() -> None:
    # The lengths of the intervals differ in their last digits, and so do the rates.
    assert approach([np.array([1 / (1 + 1e-13 * i) for i in range(10)])]).cut == 0


def test_a_stall_that_ends_at_another_moment_in_each_run_is_no_approach() -> None:
    """Together they look like one."""
    series = Series(8, 5).noise(1)
    for place, row in enumerate(series):
        row[: 2 * place] = 0
    assert approach(list(series / LEVEL)).cut == 0


def test_mser_takes_batches_of_five_from_100_intervals_on() -> None:
    series = np.r_[np.zeros(12), np.full(108, 100.0)] + np.tile([0.1, -0.1], 60)
    assert mser(series) == (15, 60)
    assert mser(series[6:26]) == (6, 10)
