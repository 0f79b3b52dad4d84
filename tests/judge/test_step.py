"""Steps of single runs, which are observations: rates over seeded simulations of 50 intervals."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from igen.judge.run.step import steps
from igen.judge.trust.finding import Finding
from tests.judge.noise import INTERVALS, LEVEL, Series, autoregressive
from tests.judge.synthetic import one_system, recording
from tests.said import note_rules

LEVELS = 100
Make = Callable[[Series], np.ndarray]
FLAT = 100 + np.tile([0.5, -0.5, 0.2, -0.2, 0.1], 10)


def found(series: np.ndarray, begin_s: float = 0.0, interval_s: float = 1.0) -> list[Finding | None]:
    """Return the step of each run."""
    rows = np.atleast_2d(series) / LEVEL
    return [*steps([*rows], begin_s, interval_s)]


def any_step(make: Make, runs: int) -> float:
    """Return the share of levels with a step in any run."""
    series = Series(1, runs)
    return float(np.mean([any(found(make(series))) for _ in range(LEVELS)]))


@pytest.mark.parametrize("runs", [1, 2, 5])
@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.5])
def test_a_flat_level_has_no_step(runs: int, correlation: float) -> None:
    """The critical values are for 0.03 of levels; 100 levels distinguish 0.03 from 0.09."""
    assert any_step(lambda series: series.noise(2, correlation), runs) <= 0.08


@pytest.mark.parametrize("length", [10, 20, 120])
def test_a_flat_level_of_any_length_has_no_step(length: int) -> None:
    random = np.random.default_rng(length)
    for correlation in (0.0, 0.5):
        levels = [LEVEL + 2 * autoregressive(random, 5, length, correlation) for _ in range(LEVELS)]
        assert np.mean([any(found(level)) for level in levels]) <= 0.08


@pytest.mark.parametrize("runs", [1, 5])
@pytest.mark.parametrize(
    "make",
    [Series.random_walk, Series.step, lambda series: series.drift(10, 2)],
    ids=["walk", "step", "drift"],
)
def test_a_level_that_changes_has_a_step(make: Make, runs: int) -> None:
    # 100 levels: a true rate of 0.9 is below 0.85 in one of twenty seeds.
    assert any_step(make, runs) >= 0.85


@pytest.mark.parametrize(
    ("part", "change_percent", "span"),
    [
        (slice(30, 50), -20, (30, None)),
        (slice(0, 20), 25, (20, None)),
        (slice(20, 35), -20, (20, 35)),
    ],
)
def test_a_step_has_its_place_and_size(
    part: slice, change_percent: float, span: tuple[float, float | None]
) -> None:
    series = FLAT.copy()
    series[part] *= 0.8
    (step,) = found(series)
    assert step
    assert step.rule == "step"
    assert step.figure("change_percent") == pytest.approx(change_percent, abs=0.05)
    assert step.part("changed_s").span == span
    (shorter,) = found(series, begin_s=1.0, interval_s=0.1)
    assert shorter
    assert shorter.part("changed_s").span == tuple(end if end is None else 1 + end / 10 for end in span)


def test_a_part_with_nothing_before_it_has_no_size() -> None:
    """A change from nothing cannot be expressed in percent."""
    (step,) = found(np.concatenate((np.zeros(20), np.full(30, LEVEL))))
    assert step
    assert [part.name for part in step.parts] == ["changed_s"]


@pytest.mark.parametrize(("change", "is_step"), [(0.004, False), (0.03, True)])
def test_a_change_that_does_not_move_the_mean_is_no_step(change: float, is_step: bool) -> None:
    """Without noise any change is clear; 0.4 % of half the time is 0.2 % of the mean, the limit is 0.5 %."""
    series = np.array([LEVEL * (1 + change * (i >= 25)) for i in range(INTERVALS)])
    assert any(found(series)) is is_step


def test_a_single_bad_interval_is_noise() -> None:
    series = FLAT.copy()
    series[40] = 60
    assert found(series) == [None]


def test_only_the_run_with_the_step_has_it() -> None:
    series = Series(3, 5).noise(2)
    series[2, 30:] *= 0.8
    assert [step is not None for step in found(series)] == [False, False, True, False, False]


def test_long_series_are_judged_in_batches() -> None:
    random = np.random.default_rng(8)
    row = LEVEL + 5 * random.standard_normal(INTERVALS * 12)
    assert found(row) == [None]
    row[400:] *= 0.95
    (step,) = found(row)
    assert step
    span = step.part("changed_s").span
    assert span is not None
    assert 400 in span


def test_a_step_of_one_run_changes_no_verdict() -> None:
    """One of five runs loses 20 % half way; the others tell how far runs differ."""
    random = np.random.default_rng(5)
    runs = []
    for repeat in range(5):
        counts = 1000 * (1 + 0.01 * random.standard_normal(20))
        counts[10:] *= 0.8 if repeat == 2 else 1.0
        runs.append(recording(counts.round().astype(int).tolist(), repeat=repeat))
    (level,) = one_system(runs).levels
    assert "step" in note_rules(level)
    assert [bool(repeat.findings) for repeat in level.repeats] == [False, False, True, False, False]
    assert {repeat.trust.verdict for repeat in level.repeats} == {"VALID"}
    assert level.trust.verdict == "VALID"
