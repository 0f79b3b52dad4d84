"""Which series are flagged, and which are left alone: rates over seeded simulations of 50 intervals."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from igen.judge.run.steady import Steadiness, find_period, steadiness
from igen.judge.trust.rules.steady import COUNTED
from tests.judge.noise import INTERVALS, Series, autoregressive

LEVELS = 100
Make = Callable[[Series], np.ndarray]


def judge(series: np.ndarray | list[float], *, may_cut: bool = True, **rest: object) -> Steadiness:
    rows = np.atleast_2d(np.asarray(series, float)).tolist()
    return steadiness(rows, may_cut=may_cut, **rest)  # type: ignore[arg-type]


def flagged(make: Make, runs: int, seed: int = 1) -> float:
    series = Series(seed, runs)
    return float(np.mean([not judge(make(series)).steady for _ in range(LEVELS)]))


@pytest.mark.parametrize("runs", [1, 5])
@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.5])
def test_a_level_that_is_steady_is_left_alone(runs: int, correlation: float) -> None:
    """0.95 are to be left alone; 100 levels tell 0.05 from 0.11."""
    assert flagged(lambda series: series.noise(2, correlation), runs) <= 0.08


@pytest.mark.parametrize("runs", [1, 5])
@pytest.mark.parametrize(
    ("make", "rate"),
    [
        (Series.random_walk, 0.9),
        (Series.step, 0.9),
        (lambda series: series.drift(10, 2), 0.9),
        (lambda series: series.drift(3, 1), 0.8),
        (Series.outage, 0.9),
        (lambda series: series.outage(0), 0.9),
    ],
    ids=["random walk", "step", "drift 10 %", "drift 3 %", "outage", "outage at the begin"],
)
def test_a_level_that_is_not_steady_is_told(make: Make, rate: float, runs: int) -> None:
    # 100 levels: a true rate of 0.9 comes out below 0.85 in one of twenty seeds.
    assert flagged(make, runs) >= rate - 0.05


def test_a_random_walk_is_told_of_each_execution() -> None:
    """With 0.8 % of noise in each interval, which hides it in one execution of four."""
    series = Series(11, 5)
    told = []
    for _ in range(LEVELS):
        found = judge(series.random_walk() + 0.8 * series.random.standard_normal((5, INTERVALS)))
        told += [bool(reasons) for reasons in found.reasons]
    assert np.mean(told) >= 0.9


@pytest.mark.parametrize("length", [10, 20])
def test_short_levels_that_are_steady_are_left_alone(length: int) -> None:
    random = np.random.default_rng(length)
    for correlation in (0.0, 0.5):
        levels = [100 + 2 * autoregressive(random, 5, length, correlation) for _ in range(LEVELS)]
        assert np.mean([not judge(level).steady for level in levels]) <= 0.08


def test_lengthening_a_measurement_replaces_no_finding() -> None:
    """A step at 30 s of 50, of 150 s after the extensions."""
    noise = np.random.default_rng(2).standard_normal(150)
    row = np.where(np.arange(150) < 30, 100, 80) + noise
    (reason,) = judge(row, planned=[50]).reasons[0]
    assert (reason.rule, reason.figure("planned_s")) == ("step", 50)
    assert reason.figure("change_percent") == pytest.approx(-19.8, abs=0.05)
    assert reason.part("changed_s").span == (30, None)


@pytest.mark.parametrize("correlation", [0.0, 0.5])
def test_looking_again_is_paid_for(correlation: float) -> None:
    """An execution that is flagged is measured longer, up to three times, as the listener does it."""
    random = np.random.default_rng(9)
    found = 0
    for _ in range(150):
        row = 100 + 2 * autoregressive(random, 1, 125, correlation)[0]
        length = 50
        while length < 125 and not judge(row[:length]).steady:
            length += 25
        found += not judge(row[:length], planned=[50]).steady
    assert found / 150 <= 0.08


def test_a_change_that_changes_nothing_is_no_change() -> None:
    assert judge([100.0 + 0.04 * (i % 2) + 0.5 * (i >= 25) for i in range(50)]).steady


def test_a_single_bad_interval_is_noise_and_a_short_outage_is_not() -> None:
    series = 100 + np.tile([0.5, -0.5, 0.2, -0.2], 25)
    series[40] = 60
    assert judge(series).steady
    series[40:46] = 0
    ((reason,),) = judge(series).reasons
    assert (reason.rule, reason.part("below_half_s").span) == ("outage", (40, 46))


def test_what_is_told_names_place_and_size() -> None:
    flat = 100 + np.tile([0.5, -0.5, 0.2, -0.2, 0.1], 10)
    for part, change_percent, span in (
        (slice(30, 50), -20, (30, None)),
        (slice(0, 20), 25, (20, None)),
        (slice(20, 35), -20, (20, 35)),
    ):
        series = flat.copy()
        series[part] *= 0.8
        ((reason,),) = judge(series).reasons
        assert reason.rule == "step"
        assert reason.figure("change_percent") == pytest.approx(change_percent, abs=0.05)
        assert reason.part("changed_s").span == span
    (reason,) = judge(series, interval_s=0.1).reasons[0]
    assert reason.figure("change_percent") == pytest.approx(-20, abs=0.05)
    assert reason.part("changed_s").span == (2, 3.5)


def test_one_unsteady_execution_is_told_beside_the_others() -> None:
    series = Series(3, 5).noise(2)
    series[2, 30:] *= 0.8
    told = judge(series)
    assert [bool(reasons) for reasons in told.reasons] == [False, False, True, False, False]


def test_executions_that_wander_together_are_told_with_what_each_did() -> None:
    told = [judge(Series(seed, 5).random_walk()) for seed in range(10)]
    reasons = [reason for each in told for of_one in each.reasons for reason in of_one]
    shared = [reason for reason in reasons if reason.rule == "wander"]
    assert shared
    assert all(reason.figure("change_percent") and reason.part("changed_s").span for reason in shared)


def test_a_common_drift_is_told_of_all() -> None:
    told = judge(Series(4, 5).drift(3, 1), may_cut=False)
    assert all(told.reasons)


@pytest.mark.parametrize("period", [5, 10, 13])
def test_dips_are_found_and_whole_periods_measured(period: int) -> None:
    random = np.random.default_rng(period)
    errors = []
    for _ in range(20):
        phase = random.uniform(0, period)
        fine = (np.arange(90 * 20) / 20 + phase) % period
        series = 100 * (1 - 0.5 * (fine < 2)).reshape(90, 20).mean(axis=1) + random.standard_normal(90)
        told = judge(series)
        assert told.period == period
        assert told.steady
        errors.append(series[told.cut : told.stops[0]].mean() / (100 * (1 - 0.5 * 2 / period)) - 1)
    assert np.abs(errors).max() < 0.012


def test_collections_are_left_alone_and_need_three_periods() -> None:
    series = Series(5, 5)
    for _ in range(10):
        told = judge(series.sawtooth(7, 0.3))
        assert (told.cut, told.period, told.steady) == (0, 7, True)
        assert set(told.stops) == {49}
    told = judge(series.sawtooth(20, 0.3))
    assert told.cut == 0
    (few,) = (reason for reason in told.reasons[0] if reason.rule == "few-periods")
    assert (few.figure("periods"), few.figure("period_s"), few.limit) == (2.5, 20, 3)


def test_periods_are_rarely_found_where_none_are() -> None:
    random = np.random.default_rng(4)
    for length in (20, 60, 90):
        found = [find_period([series]) is not None for series in autoregressive(random, 200, length, 0.4)]
        assert np.mean(found) <= 0.025


@pytest.mark.parametrize("values", [[7.0] * 30, [0.0] * 10, [0.0, 1.0] * 6])
def test_series_without_noise(values: list[float]) -> None:
    assert judge(values).steady


def test_a_few_intervals_cannot_be_judged_and_do_not_hide_the_others() -> None:
    for length in (1, 5):
        told = judge([100.0] * length)
        assert (told.cut, told.stops, told.steady) == (0, [length], False)
    assert steadiness([[]], may_cut=True).stops == [0]
    step = [100.0] * 25 + [80.0] * 25
    told = steadiness([step, [100.0] * 3], may_cut=True)
    (step_found,), (few,) = told.reasons
    assert step_found.figure("change_percent") == pytest.approx(-20)
    assert (step_found.rule, step_found.part("changed_s").span) == ("step", (25, None))
    assert (few.rule, few.figure("intervals"), few.limit) == ("few-intervals", 3, 6)


def test_long_series_are_judged_in_batches() -> None:
    random = np.random.default_rng(8)
    row = 100 + 5 * random.standard_normal(INTERVALS * 12)
    assert judge(row).steady
    row[400:] *= 0.95
    (reason,) = judge(row).reasons[0]
    assert reason.part("changed_s").span is not None
    assert 400 in reason.part("changed_s").span


def paced(random: np.random.Generator, length: int, per_interval: float) -> np.ndarray:
    """Four users, each regular, with a phase of its own."""
    every = 4 / per_interval
    ends = [np.arange(random.uniform(0, every), length, every) for _ in range(4)]
    return np.histogram(np.concatenate(ends), bins=np.arange(length + 1))[0].astype(float)


@pytest.mark.parametrize("length", [20, 50])
@pytest.mark.parametrize("per_interval", [0.3, 0.8, 2, 5, 30])
@pytest.mark.parametrize("kind", ["random", "paced"])
def test_few_transactions_an_interval_are_no_outage_and_no_period(
    kind: str, per_interval: float, length: int
) -> None:
    """Chance, or the rhythm of the load against that of intervals, decides which a transaction falls into."""
    random = np.random.default_rng(length)
    found = 0
    for _ in range(LEVELS):
        if kind == "paced":
            rows = [paced(random, length, per_interval).tolist() for _ in range(5)]
        else:
            rows = random.poisson(per_interval, (5, length)).astype(float).tolist()
        found += not steadiness(rows, may_cut=False, counted=6.0 if kind == "paced" else COUNTED.value).steady
    assert found <= 0.05 * LEVELS + 3 * (0.05 * 0.95 * LEVELS) ** 0.5


@pytest.mark.parametrize("per_interval", [3, 10])
def test_a_gap_in_few_transactions_is_an_outage_once_chance_cannot_make_it(per_interval: int) -> None:
    usual = [float(per_interval)] * 50
    (reasons,) = steadiness([usual[:20] + [0.0] * 4 + usual[24:]], may_cut=False).reasons
    assert [(reason.rule, reason.part("below_half_s").span) for reason in reasons] == [("outage", (20, 24))]
