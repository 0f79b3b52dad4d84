"""The part of a level that counts, and outages: rates over seeded simulations of 50 intervals."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from igen.judge.run.period import find_period
from igen.judge.run.steady import Steadiness, steadiness
from igen.judge.trust.rules.steady import COUNTED
from tests.judge.noise import Series, autoregressive

LEVELS = 100
Make = Callable[[Series], np.ndarray]


def judge(series: np.ndarray | list[float], *, may_cut: bool = True, **rest: object) -> Steadiness:
    rows = np.atleast_2d(np.asarray(series, float)).tolist()
    return steadiness(rows, may_cut=may_cut, **rest)  # type: ignore[arg-type]


def shapes(found: Steadiness) -> set[str]:
    """Return the rules of all runs of a level."""
    return {each.rule for of_run in found.shapes for each in of_run}


def flagged(make: Make, runs: int, seed: int = 1) -> float:
    """Return the share of levels of which any run has a finding."""
    series = Series(seed, runs)
    return float(np.mean([bool(shapes(judge(make(series)))) for _ in range(LEVELS)]))


@pytest.mark.parametrize("runs", [1, 5])
@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.5])
def test_a_steady_level_has_no_finding(runs: int, correlation: float) -> None:
    """The goal is 0.95 of levels; 100 levels distinguish 0.05 from 0.11."""
    assert flagged(lambda series: series.noise(2, correlation), runs) <= 0.08


@pytest.mark.parametrize("runs", [1, 5])
@pytest.mark.parametrize("begin", [None, 0])
def test_an_outage_is_found_in_each_run(begin: int | None, runs: int) -> None:
    series = Series(1, runs)
    found = [
        "outage" in {each.rule for each in of_run}
        for _ in range(LEVELS)
        for of_run in judge(series.outage(begin)).shapes
    ]
    assert np.mean(found) >= 0.98


@pytest.mark.parametrize("length", [10, 20])
def test_a_short_steady_level_has_no_finding(length: int) -> None:
    random = np.random.default_rng(length)
    for correlation in (0.0, 0.5):
        levels = [100 + 2 * autoregressive(random, 5, length, correlation) for _ in range(LEVELS)]
        assert np.mean([bool(shapes(judge(level))) for level in levels]) <= 0.08


def test_a_single_bad_interval_is_noise_and_a_short_outage_is_not() -> None:
    series = 100 + np.tile([0.5, -0.5, 0.2, -0.2], 25)
    series[40] = 60
    assert not shapes(judge(series))
    series[40:46] = 0
    ((found,),) = judge(series).shapes
    assert (found.rule, found.part("below_half_s").span) == ("outage", (40, 46))


@pytest.mark.parametrize(
    ("intervals", "gap", "is_outage"),
    [(20, 1, True), (21, 1, False), (50, 1, False), (50, 2, True), (400, 1, False), (400, 2, True)],
)
def test_an_outage_lasts_for_a_twentieth_of_the_run_or_two_intervals(
    intervals: int, gap: int, is_outage: bool
) -> None:
    series = 100 + np.resize([0.5, -0.5, 0.2, -0.2, 0.1], intervals)
    series[5 : 5 + gap] = 10
    assert ("outage" in shapes(judge(series))) is is_outage


@pytest.mark.parametrize(("level", "is_outage"), [(0.0, True), (0.49, True), (0.51, False), (0.8, False)])
def test_only_less_than_half_of_the_usual_is_an_outage(level: float, is_outage: bool) -> None:
    series = 100 + np.tile([0.5, -0.5, 0.2, -0.2, 0.1], 10)
    series[20:30] *= level
    assert ("outage" in shapes(judge(series))) is is_outage


def test_an_outage_is_a_finding_of_its_run_alone() -> None:
    series = Series(3, 5).noise(2)
    series[2, 30:36] = 0
    found = judge(series).shapes
    assert [[each.rule for each in of_run] for of_run in found] == [[], [], ["outage"], [], []]


@pytest.mark.parametrize("period", [5, 10, 13])
def test_dips_are_found_and_whole_periods_measured(period: int) -> None:
    random = np.random.default_rng(period)
    errors = []
    for _ in range(20):
        phase = random.uniform(0, period)
        fine = (np.arange(90 * 20) / 20 + phase) % period
        series = 100 * (1 - 0.5 * (fine < 2)).reshape(90, 20).mean(axis=1) + random.standard_normal(90)
        found = judge(series)
        assert found.period == period
        assert not shapes(found)
        errors.append(series[found.cut : found.stops[0]].mean() / (100 * (1 - 0.5 * 2 / period)) - 1)
    assert np.abs(errors).max() < 0.012


def test_collections_have_no_finding_and_need_three_periods() -> None:
    series = Series(5, 5)
    for _ in range(10):
        found = judge(series.sawtooth(7, 0.3))
        assert (found.cut, found.period, shapes(found)) == (0, 7, set())
        assert set(found.stops) == {49}
    found = judge(series.sawtooth(20, 0.3))
    assert found.cut == 0
    (few,) = (each for each in found.shapes[0] if each.rule == "few-periods")
    assert (few.figure("periods"), few.figure("period_s"), few.limit) == (2.5, 20, 3)


def test_periods_are_rarely_found_where_none_are() -> None:
    random = np.random.default_rng(4)
    for length in (20, 60, 90):
        found = [find_period([series]) is not None for series in autoregressive(random, 200, length, 0.4)]
        assert np.mean(found) <= 0.025


@pytest.mark.parametrize("values", [[7.0] * 30, [0.0] * 10, [0.0, 1.0] * 6])
def test_series_without_noise(values: list[float]) -> None:
    assert not shapes(judge(values))


def test_a_few_intervals_cannot_be_judged_and_do_not_hide_the_others() -> None:
    for length in (1, 5):
        found = judge([100.0] * length)
        assert (found.cut, found.stops, shapes(found)) == (0, [length], {"few-intervals"})
    assert not shapes(judge([100.0] * 6))
    assert steadiness([[]], may_cut=True).stops == [0]
    gap = [100.0] * 25 + [0.0] * 5 + [100.0] * 20
    (outage,), (few,) = steadiness([gap, [100.0] * 3], may_cut=True).shapes
    assert (outage.rule, outage.part("below_half_s").span) == ("outage", (25, 30))
    assert (few.rule, few.figure("intervals"), few.limit) == ("few-intervals", 3, 6)


def paced(random: np.random.Generator, length: int, per_interval: float) -> np.ndarray:
    """Four users, each regular, with separate phases."""
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
        counted = 6.0 if kind == "paced" else COUNTED.value
        found += bool(shapes(steadiness(rows, may_cut=False, counted=counted)))
    assert found <= 0.05 * LEVELS + 3 * (0.05 * 0.95 * LEVELS) ** 0.5


@pytest.mark.parametrize("per_interval", [3, 10])
def test_a_gap_in_few_transactions_is_an_outage_once_chance_cannot_make_it(per_interval: int) -> None:
    usual = [float(per_interval)] * 50
    (found,) = steadiness([usual[:20] + [0.0] * 4 + usual[24:]], may_cut=False).shapes
    assert [(each.rule, each.part("below_half_s").span) for each in found] == [("outage", (20, 24))]
