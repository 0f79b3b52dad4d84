"""Intervals against scipy.stats as an oracle, and against simulations whose truth is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from igen.judge.figure.figure import Figure
from igen.judge.figure.interval import (
    log_interval,
    log_welch,
    mean_interval,
    paired_ratio,
    ratio_interval,
)
from igen.judge.figure.pairs import Pairs
from igen.judge.figure.spread import Spread
from igen.judge.run.steady import steadiness

A = [101.0, 99.5, 103.2, 98.7]
B = [110.0, 112.5, 109.1]


def covers(ratio: Figure, truth: float) -> bool:
    return ratio.low is not None and ratio.high is not None and ratio.low <= truth <= ratio.high


def of_pairs(values: list[float], base: list[float]) -> Figure:
    return paired_ratio(Pairs(values=values, base=base))


def lognormal(random: np.random.Generator, mean: float, noise: float, shape: tuple[int, ...]) -> np.ndarray:
    return mean * np.exp(noise * random.standard_normal(shape))


def test_a_mean_has_students_interval() -> None:
    expected = stats.t.interval(0.95, 3, np.mean(A), stats.sem(A))
    found = mean_interval(A)
    assert (found.low, found.high) == pytest.approx(expected)
    assert (found.value, found.n) == (pytest.approx(np.mean(A)), 4)
    assert mean_interval([5.0]).low is None
    assert mean_interval([1.0, 9.0]).low == 0, "a throughput is not negative"


def test_a_ratio_of_sums_weighs_what_belongs_to_it() -> None:
    ratio = ratio_interval([10.0, 22.0, 36.0], [1.0, 2.0, 4.0])
    assert (ratio.value, ratio.n) == (68 / 7, 3)
    residuals = [10.0 - 68 / 7, 22.0 - 2 * 68 / 7, 36.0 - 4 * 68 / 7]
    half = stats.t.ppf(0.975, 2) * stats.sem(residuals) / (7 / 3)
    assert (ratio.low, ratio.high) == pytest.approx((68 / 7 - half, 68 / 7 + half))
    same = ratio_interval(A, [1.0] * len(A))
    assert (same.low, same.high) == pytest.approx((mean_interval(A).low, mean_interval(A).high))
    assert ratio_interval([5.0], [2.0]).low is None
    assert ratio_interval([1.0, 9.0], [1.0, 1.0]).low == 0
    assert ratio_interval([0.0, 9.0], [0.0, 3.0]).value == 3, "nothing ended in an interval"


def test_a_ratio_of_sums_covers_the_truth_in_95_percent() -> None:
    """A third of the intervals are ten times as slow: 2,100 transactions in 30 s, so 30/2.1 ms each."""
    random = np.random.default_rng(11)
    slow = random.random((4000, 60)) < 1 / 3
    counts = np.where(slow, 10.0, 100.0) * random.uniform(0.9, 1.1, slow.shape)
    times = np.full(slow.shape, 1e3)
    found = [ratio_interval(time, count) for time, count in zip(times, counts, strict=True)]
    truth = 3e3 / (2 * 100 + 10)
    coverage = np.mean([each.low <= truth <= each.high for each in found])
    assert 0.92 <= coverage <= 0.97


def test_a_geometric_mean_has_the_interval_of_its_logarithms() -> None:
    expected = np.exp(stats.t.interval(0.95, 3, np.mean(np.log(A)), stats.sem(np.log(A))))
    found = log_interval(A)
    assert (found.low, found.high) == pytest.approx(tuple(expected))
    assert log_interval(A).half() == pytest.approx(math.log(expected[1] / expected[0]) / 2)
    assert log_interval([1.0]).half() == log_interval([1.0, 0.0]).half() == math.inf


def test_an_interval_may_be_about_another_mean_and_rest_on_more_than_its_values() -> None:
    """The throughput is the arithmetic mean; how much its logarithm varies is known from all levels."""
    mean, own = float(np.mean(A)), log_interval(A)
    found = log_interval(A, about=mean)
    assert (found.value, found.n) == (mean, 4)
    assert found.half() == pytest.approx(own.half())
    known = log_interval(A, about=mean, spread=Spread(0.0009, 12.0))
    half = stats.t.ppf(0.975, 12) * 0.03 / 2
    assert (known.low, known.high) == pytest.approx((mean * math.exp(-half), mean * math.exp(half)))
    assert log_interval([5.0], spread=Spread(0.0009, 12.0)).low is None, "one run has no interval"


@pytest.mark.parametrize("runs", [2, 3, 5])
def test_an_interval_about_the_arithmetic_mean_covers_it_in_95_percent(runs: int) -> None:
    """With 10 % of noise, of which the arithmetic mean is half a percent above the geometric one."""
    random = np.random.default_rng(runs)
    values = lognormal(random, 100.0, 0.1, (2000, runs))
    truth = 100 * math.exp(0.1**2 / 2)
    found = [log_interval(row, about=float(row.mean())) for row in values]
    assert np.mean([covers(each, truth) for each in found]) == pytest.approx(0.95, abs=0.015)


def test_the_ratio_of_independent_runs_is_welchs() -> None:
    oracle = stats.ttest_ind(np.log(B), np.log(A), equal_var=False)
    interval = oracle.confidence_interval(0.95)
    found = log_welch(B, A)
    assert found.low == pytest.approx(math.exp(interval.low))
    assert found.high == pytest.approx(math.exp(interval.high))
    assert found.p == pytest.approx(oracle.pvalue)
    assert found.value == pytest.approx(stats.gmean(B) / stats.gmean(A))
    assert found.untested().low is None


def test_the_ratio_of_pairs_is_the_paired_t() -> None:
    oracle = stats.ttest_rel(np.log(B), np.log(A[:3]))
    interval = oracle.confidence_interval(0.95)
    found = of_pairs(B, A[:3])
    assert (found.low, found.high) == pytest.approx((math.exp(interval.low), math.exp(interval.high)))
    assert found.p == pytest.approx(oracle.pvalue)


@pytest.mark.parametrize("test", [log_welch, of_pairs])
def test_without_noise_or_without_repeats(test: object) -> None:
    assert callable(test)
    assert test([2.0] * 2, [1.0] * 2).low is None, "a ratio needs three runs of each side"
    same, other = test([2.0] * 3, [2.0] * 3), test([2.0] * 3, [1.0] * 3)
    assert (same.p, same.low, same.high) == (1.0, 1.0, 1.0)
    assert (other.p, other.value) == (0.0, pytest.approx(2.0))


@pytest.mark.parametrize(("runs", "base_runs"), [(3, 3), (5, 5), (10, 5)])
def test_log_welch_covers_the_truth_in_95_percent(runs: int, base_runs: int) -> None:
    random = np.random.default_rng(31)
    studies = 4000
    a = lognormal(random, 120.0, 0.02, (studies, runs))
    b = lognormal(random, 100.0, 0.02, (studies, base_runs))
    coverage = np.mean([covers(log_welch(x, y), 1.2) for x, y in zip(a, b, strict=True)])
    assert 0.94 <= coverage <= 0.97


def test_half_widths_at_2_percent_noise() -> None:
    random = np.random.default_rng(7)
    for runs, expected in ((3, 0.045), (5, 0.024), (10, 0.014)):
        values = lognormal(random, 1.0, 0.02, (2000, runs))
        assert np.mean([log_interval(row).half() for row in values]) == pytest.approx(expected, rel=0.06)


def fake_study(random: np.random.Generator, mean: float, runs: int = 5, seconds: int = 50) -> np.ndarray:
    """Throughput by run and second: 2 % from run to run, 3 % from second to second."""
    means = mean * (1 + 0.02 * random.standard_normal((runs, 1)))
    return np.asarray(means * (1 + 0.03 * random.standard_normal((runs, seconds))))


def run_means(study: np.ndarray) -> list[float]:
    told = steadiness(study.tolist(), may_cut=True)
    return [float(series[told.cut : stop].mean()) for series, stop in zip(study, told.stops, strict=True)]


def test_a_against_a_is_no_difference_in_95_percent_of_studies() -> None:
    random = np.random.default_rng(500)
    covered = [
        covers(log_welch(run_means(fake_study(random, 100.0)), run_means(fake_study(random, 100.0))), 1.0)
        for _ in range(500)
    ]
    assert 0.93 <= np.mean(covered) <= 0.97


def test_power_against_a_difference_of_2_percent() -> None:
    """With 2 % noise five runs rarely see it, with 0.7 % nearly always."""
    random = np.random.default_rng(22)

    def seen(noise: float) -> float:
        a, b = lognormal(random, 102.0, noise, (1000, 5)), lognormal(random, 100.0, noise, (1000, 5))
        return float(np.mean([not covers(log_welch(x, y), 1.0) for x, y in zip(a, b, strict=True)]))

    assert 0.15 < seen(0.02) < 0.4
    assert seen(0.007) > 0.95


def test_pooling_the_intervals_of_several_runs_is_a_trap() -> None:
    """The interval of all seconds together hardly ever covers the truth; that of the run means does."""
    random = np.random.default_rng(30)
    pooled, by_run = [], []
    for _ in range(500):
        study = fake_study(random, 100.0)
        for found, values in ((pooled, study.ravel()), (by_run, study.mean(axis=1))):
            estimate = mean_interval(values.tolist())
            assert estimate.low is not None
            assert estimate.high is not None
            found.append(estimate.low <= 100.0 <= estimate.high)
    assert np.mean(pooled) < 0.4
    assert 0.93 <= np.mean(by_run) <= 0.97


def test_interleaved_runs_cancel_a_drift() -> None:
    """A B B A ... under a drift of 10 %, 1 % noise: pairs are three times as precise, and right."""
    random = np.random.default_rng(9)
    order = np.array([0, 1, 1, 0] * 3 + [0, 1])[:12]
    paired, welch, covered = [], [], []
    for _ in range(300):
        values = lognormal(random, 100.0, 0.01, (12,)) * np.linspace(1, 1.1, 12)
        a, b = values[order == 0], values[order == 1]
        pair = of_pairs(b.tolist(), a.tolist())
        paired.append(half_width(pair))
        welch.append(half_width(log_welch(b, a)))
        covered.append(covers(pair, 1.0))
    assert np.mean(paired) < np.mean(welch) / 2.5
    assert np.mean(covered) >= 0.93


def half_width(quotient: Figure) -> float:
    assert quotient.low is not None
    assert quotient.high is not None
    return math.log(quotient.high / quotient.low) / 2
