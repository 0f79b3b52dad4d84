"""The steady-state gate on series whose truth is known; noise is mostly 5 %, above the limit of 1 %."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from igen.analysis.steady import find_period, kendall_p, mser, steady_state

NOISE = 5.0


def noise(random: np.random.Generator, series: int, length: int, correlation: float) -> np.ndarray:
    """Autoregressive of first order, variance 1."""
    values = random.standard_normal((series, length + 30))
    for t in range(1, length + 30):
        values[:, t] = correlation * values[:, t - 1] + np.sqrt(1 - correlation**2) * values[:, t]
    return values[:, 30:]


def flagged(series: np.ndarray) -> float:
    return float(np.mean([not steady_state(each).steady for each in series]))


@pytest.mark.parametrize("length", [10, 20, 50, 60])
def test_steady_series_are_rarely_flagged(length: int) -> None:
    random = np.random.default_rng(length)
    assert flagged(100 + NOISE * noise(random, 300, length, 0.0)) <= 0.05
    assert flagged(100 + NOISE * noise(random, 300, length, 0.3)) <= 0.08


@pytest.mark.parametrize(
    ("length", "drift_seen", "step_seen"), [(10, 0.3, 0.85), (20, 0.45, 0.95), (60, 0.85, 0.99)]
)
def test_drift_and_step_of_5_percent_are_seen_under_1_percent_noise(
    length: int, drift_seen: float, step_seen: float
) -> None:
    random = np.random.default_rng(length)
    time = np.linspace(0, 1, length)
    series = 100 + noise(random, 200, length, 0.0)
    assert flagged(series + 5 * time) > drift_seen
    assert flagged(series - 5 * (time > 0.5)) > step_seen


def test_a_change_below_1_percent_is_no_change() -> None:
    steady = steady_state([100.0 + 0.04 * (i % 2) + 0.5 * (i >= 10) for i in range(20)])
    assert not any("half" in reason for reason in steady.reasons)


def test_mser_cuts_a_warm_up_better_than_a_fixed_tenth() -> None:
    random = np.random.default_rng(5)
    warm_up = 1 - 0.4 * np.exp(-(np.arange(60) + 0.5) / 4)
    series = 100 * warm_up + 2 * noise(random, 400, 60, 0.2)
    by_mser = np.mean([row[steady_state(row).cut : steady_state(row).stop].mean() for row in series]) - 100
    by_tenth = series[:, 6:].mean() - 100
    assert abs(by_mser) < 0.15
    assert by_tenth < -0.5


def test_a_warm_up_that_takes_all_is_told() -> None:
    series = 100 * (1 - np.exp(-np.arange(20) / 15))
    steady = steady_state(series)
    assert not steady.steady
    assert any("warm-up" in reason for reason in steady.reasons)
    assert any("rises" in reason for reason in steady.reasons)


def test_nothing_is_cut_off_a_constant_series() -> None:
    # The lengths of the intervals differ in their last digits, and so do the rates.
    assert steady_state([100 / (1 + 1e-13 * i) for i in range(10)]).cut == 0


def test_mser_takes_batches_of_five_from_100_intervals_on() -> None:
    series = np.r_[np.zeros(12), np.full(108, 100.0)] + np.tile([0.1, -0.1], 60)
    assert mser(series) == (15, 60)
    assert mser(series[6:26]) == (6, 10)


@pytest.mark.parametrize("period", [5, 10, 13, 20])
def test_dips_are_found_and_whole_periods_measured(period: int) -> None:
    random = np.random.default_rng(period)
    errors, one_and_a_half = [], []
    for _ in range(40):
        phase = random.uniform(0, period)
        fine = (np.arange(90 * 20) / 20 + phase) % period
        series = 100 * (1 - 0.5 * (fine < 2)).reshape(90, 20).mean(axis=1) + random.standard_normal(90)
        truth = 100 * (1 - 0.5 * 2 / period)
        steady = steady_state(series)
        assert steady.period == period
        errors.append(series[steady.cut : steady.stop].mean() / truth - 1)
        one_and_a_half.append(series[: int(1.5 * period)].mean() / truth - 1)
    assert np.abs(errors).max() < 0.012
    assert np.abs(one_and_a_half).max() > 0.02


def test_fewer_than_three_periods_are_too_few() -> None:
    series = [50.0 if i % 25 < 3 else 100.0 + (i % 2) for i in range(60)]
    steady = steady_state(series)
    assert (steady.period, steady.steady) == (25, False)
    assert "periods" in steady.reasons[0]


def test_periods_are_rarely_found_where_none_are() -> None:
    random = np.random.default_rng(4)
    for length in (20, 60, 90):
        found = [find_period(series) is not None for series in noise(random, 200, length, 0.4)]
        assert np.mean(found) <= 0.025


@pytest.mark.parametrize("values", [[7.0] * 30, [0.0] * 10, [0.0, 1.0] * 6])
def test_series_without_noise(values: list[float]) -> None:
    assert steady_state(values).steady


@pytest.mark.parametrize("length", [0, 1, 5])
def test_a_few_intervals_cannot_be_judged(length: int) -> None:
    steady = steady_state([100.0] * length)
    assert (steady.cut, steady.stop, steady.steady) == (0, length, False)


def test_kendall_agrees_with_the_reference() -> None:
    random = np.random.default_rng(6)
    for values in (random.standard_normal(40), random.integers(0, 5, 40).astype(float)):
        oracle = stats.kendalltau(np.arange(40), values, method="asymptotic", variant="b").pvalue
        assert kendall_p(values) == pytest.approx(oracle, rel=0.12)
