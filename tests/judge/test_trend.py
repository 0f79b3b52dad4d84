"""The change that all runs of a level share, against least squares and in seeded simulations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from igen.judge.record.histogram import Histogram
from igen.judge.record.snapshot import Statistics
from igen.judge.run.measured import MeasuredRun, measure
from igen.judge.trust.disturbance import Bound
from igen.judge.trust.trend import Series, shared_change, trend_of
from tests.judge.noise import INTERVALS, LEVEL, autoregressive
from tests.judge.synthetic import one_system, recording, snapshot
from tests.said import rules

LEVELS = 200
Make = Callable[[np.random.Generator, int], np.ndarray]
BASE = measure(recording())


def change_of(rows: np.ndarray) -> float:
    """Return the shared change of throughputs in intervals of one length, a row a run."""
    return shared_change([Series(row, np.ones(len(row))) for row in np.atleast_2d(rows)])


def run_of(
    rates: Sequence[float], times_ms: Sequence[float] | None = None, period_s: float | None = None
) -> MeasuredRun:
    """Return a run with these throughputs and mean times in intervals of 1 s."""
    intervals = []
    for place, rate in enumerate(rates):
        count = round(rate)
        sum_ns = round(1e6 * count * (1.0 if times_ms is None else times_ms[place]))
        times = Histogram.counted(np.array([100]), np.array([count]), sum_ns)
        intervals.append(snapshot(place, Statistics(count=count, service_time=times, response_time=times)))
    return replace(BASE, intervals=intervals, period_s=period_s)


def bounds(runs: Sequence[MeasuredRun]) -> tuple[Bound, Bound]:
    """Return the bounds of throughput and times; empty ones without a trend."""
    causes = trend_of(runs)
    return (causes[0].throughput, causes[0].times) if causes else (Bound(), Bound())


def both_ways(percent: float) -> tuple[object, object]:
    return pytest.approx(-percent, rel=1e-6), pytest.approx(percent, rel=1e-6)


def test_the_bound_is_half_the_change_from_the_first_to_the_last_third() -> None:
    """Thirds of 900, 1,000 and 1,100 a second: 20 % of the mean, half of it on either side."""
    rates = [900] * 4 + [1000] * 4 + [1100] * 4
    for runs in (1, 2, 3, 5, 9):
        throughput, times = bounds([run_of(rates)] * runs)
        assert (throughput.low_percent, throughput.high_percent) == both_ways(10), runs
        assert times == Bound()
    (cause,) = trend_of([run_of(rates)] * 3)
    assert cause.finding.figure("throughput_change_percent") == pytest.approx(20)
    assert cause.finding.figure("times_change_percent") == 0


def test_times_have_their_own_trend() -> None:
    """Means of 1 ms become means of 1.2 ms while the throughput stays the same."""
    throughput, times = bounds([run_of([1000] * 12, [1.0] * 4 + [1.1] * 4 + [1.2] * 4)] * 3)
    assert throughput == Bound()
    assert (times.low_percent, times.high_percent) == both_ways(100 * 0.2 / 1.1 / 2)


def p_of(blocks: np.ndarray) -> float:
    """Return the p-value of "the last third is as the first one", of blocks of equal length, a row a run."""
    runs, number = blocks.shape
    contrast = np.repeat([-1.0, 0.0, 1.0], number // 3) / (number // 3)
    if runs >= 5:
        return float(stats.ttest_1samp(blocks @ contrast, 0.0).pvalue)
    if runs > 1:
        # A mean for each run and one for each block: what is left is the noise.
        design = np.hstack(
            [np.kron(np.eye(runs), np.ones((number, 1))), np.kron(np.ones((runs, 1)), np.eye(number)[:, 1:])]
        )
    else:
        design = np.column_stack([np.ones(number), contrast])
    fitted, *_ = np.linalg.lstsq(design, blocks.ravel(), rcond=None)
    freedom = blocks.size - design.shape[1]
    variance = float(((blocks.ravel() - design @ fitted) ** 2).sum()) / freedom
    t = float(blocks.mean(axis=0) @ contrast) / np.sqrt(variance * contrast @ contrast / runs)
    return float(2 * stats.t.sf(abs(t), freedom))


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    runs=st.integers(1, 12),
    trend=st.floats(0, 0.05),
    noise=st.floats(0.001, 0.05),
)
def test_a_change_counts_if_least_squares_find_it(seed: int, runs: int, trend: float, noise: float) -> None:
    """Runs are multiples of their mean, in six blocks."""
    random = np.random.default_rng(seed)
    rows = LEVEL * (1 + trend * np.linspace(-0.5, 0.5, 24) + noise * random.standard_normal((runs, 24)))
    blocks = (rows / rows.mean(axis=1, keepdims=True)).reshape(runs, 6, 4).mean(axis=2)
    p, error = p_of(blocks), 0.05 if runs - 1 < 8 else 0.01
    assume(abs(p - error) > 1e-6)
    change = float((blocks[:, 4:].mean(axis=1) - blocks[:, :2].mean(axis=1)).mean())
    assert change_of(rows) == (pytest.approx(change) if p < error else 0.0)


@pytest.mark.parametrize(("runs", "counted"), [(5, True), (8, True), (9, False), (12, False)])
def test_from_8_degrees_of_freedom_on_a_change_must_be_surer(runs: int, counted: bool) -> None:
    """The p-value is 0.03: less than 0.05, and not less than 0.01."""
    t = stats.t.isf(0.015, runs - 1)
    apart = np.linspace(-1, 1, runs)
    apart /= apart.std(ddof=1) / np.sqrt(runs)
    changes = 0.02 * (1 + apart / t)
    rows = LEVEL * (1 + changes[:, None] * np.repeat([-0.5, 0.0, 0.5], 4))
    assert stats.ttest_1samp(changes, 0.0).pvalue == pytest.approx(0.03)
    assert change_of(rows) == (pytest.approx(0.02) if counted else 0.0)


@pytest.mark.parametrize(
    ("runs", "error"), [(1, 0.05), (2, 0.05), (3, 0.05), (5, 0.05), (8, 0.05), (9, 0.01), (12, 0.01)]
)
@pytest.mark.parametrize("correlation", [0.0, 0.5])
def test_runs_without_a_trend_have_none(runs: int, error: float, correlation: float) -> None:
    """Three standard errors above the goal; what correlation adds is within them."""
    random = np.random.default_rng(runs)
    levels = [LEVEL + 2 * autoregressive(random, runs, INTERVALS, correlation) for _ in range(LEVELS)]
    most = error + 3 * (error * (1 - error) / LEVELS) ** 0.5
    assert np.mean([change_of(rows) != 0 for rows in levels]) <= most


@pytest.mark.parametrize("runs", [5, 8])
def test_runs_that_wander_apart_have_no_trend(runs: int) -> None:
    """Random walks of 1 % an interval: each run changes, and together they do not."""
    random = np.random.default_rng(runs)
    steps = 0.01 * random.standard_normal((LEVELS, runs, INTERVALS))
    found = [change_of(LEVEL * np.exp(rows.cumsum(axis=1))) != 0 for rows in steps]
    assert np.mean(found) <= 0.05 + 3 * (0.05 * 0.95 / LEVELS) ** 0.5


X = np.arange(20) + 0.5
SHARED = {
    "warm-up of 8 %": 1 - 0.08 * np.exp(-X / 4),
    "drift of 6 %": 1 - 0.06 * X / 20,
    "step of 20 % at the middle": np.where(X < 10, 1, 0.8),
    "step of 20 % at the start": np.where(X < 3, 1, 0.8),
    "step of 20 % at the end": np.where(X < 17, 1, 0.8),
}


@pytest.mark.parametrize("runs", [2, 3, 5])
@pytest.mark.parametrize("shape", SHARED.values(), ids=SHARED)
def test_what_all_runs_share_is_found(shape: np.ndarray, runs: int) -> None:
    """With 1 % of noise an interval; the bound is large enough to make the level SUSPECT."""
    random = np.random.default_rng(runs)
    levels = LEVEL * shape + random.standard_normal((100, runs, 20))
    assert np.mean([abs(change_of(rows)) > 0.02 for rows in levels]) >= 0.98


def test_a_change_of_one_run_is_no_trend() -> None:
    rows = LEVEL + np.random.default_rng(4).standard_normal((5, 24))
    rows[2, 12:] *= 0.8
    assert change_of(rows) == 0


def test_an_even_drift_of_one_run_is_found() -> None:
    """Its blocks leave a straight line only by noise."""
    random = np.random.default_rng(6)
    noise = random.standard_normal((100, 24)) / 2
    drifts = LEVEL * np.linspace(1.03, 0.97, 24) + noise
    assert np.mean([change_of(row) < -0.02 for row in drifts]) >= 0.95


@pytest.mark.parametrize("intervals", [0, 1, 5])
def test_short_runs_have_no_trend(intervals: int) -> None:
    assert trend_of([run_of([900 + 50 * i for i in range(intervals)])] * 3) == []
    longer = run_of([900 + 50 * i for i in range(6)])
    assert trend_of([longer] * 3)
    short = run_of([1000] * intervals)
    assert bounds([longer] * 3 + [short]) == bounds([longer] * 3), "a short run says nothing"


def test_runs_of_which_nothing_ended_have_no_trend() -> None:
    assert trend_of([run_of([0] * 12)] * 3) == []


@pytest.mark.parametrize("shift", [0, 3])
def test_a_period_is_no_trend(shift: int) -> None:
    """A third of the run holds one and a third periods, so its thirds differ."""
    rates = np.roll(np.resize([1000] * 6 + [500] * 2, 32), shift)
    rows = [(rates + repeat).tolist() for repeat in range(3)]
    assert trend_of([run_of(row, period_s=None) for row in rows]), "the change is there"
    assert trend_of([run_of(row, period_s=8.0) for row in rows]) == []


def test_a_trend_of_one_load_is_that_of_its_level() -> None:
    """The other load takes what it loses, so the sum is flat."""
    falling = [1100] * 4 + [1000] * 4 + [900] * 4
    loads = {"a": run_of(falling), "b": run_of(falling[::-1])}
    run = replace(run_of([2000] * 12), loads=loads)
    throughput, times = bounds([run] * 3)
    assert (throughput.low_percent, throughput.high_percent) == both_ways(10)
    assert times == Bound()


@pytest.mark.parametrize(
    "load", [{"open": {"rate_per_s": 1000.0}}, {"paced": {"users": 10, "rate_per_user_per_s": 100.0}}]
)
def test_only_times_of_an_offered_load_have_a_trend(load: dict[str, Any]) -> None:
    """What was offered is the load's own choice, whatever the system does."""
    base = measure(recording(load=load))
    falling = run_of([1100] * 4 + [1000] * 4 + [900] * 4, [1.0] * 4 + [1.1] * 4 + [1.2] * 4)
    run = replace(base, intervals=falling.intervals)
    throughput, times = bounds([run] * 3)
    assert throughput == Bound()
    assert times.high_percent > 5


@settings(max_examples=50, deadline=None)
@given(
    rows=st.lists(st.lists(st.integers(1, 5000), min_size=12, max_size=12), min_size=1, max_size=10),
    factor=st.integers(2, 9),
)
def test_units_direction_and_order_of_runs_change_no_bound(rows: list[list[int]], factor: int) -> None:
    values = np.array(rows, float)
    change = change_of(values)
    assert change_of(factor * values) == pytest.approx(change)
    assert change_of(values[::-1]) == pytest.approx(change)
    assert change_of(values[:, ::-1]) == pytest.approx(-change)
    assert abs(change) <= 3, "a third of the run can at most have all of it"


@settings(max_examples=50, deadline=None)
@given(rows=st.lists(st.lists(st.integers(0, 5000), min_size=6, max_size=20), min_size=1, max_size=8))
def test_any_counts_have_a_finite_bound_on_both_sides(rows: list[list[int]]) -> None:
    for bound in bounds([run_of(row) for row in rows]):
        assert bound.low_percent == -bound.high_percent
        assert 0 <= bound.high_percent <= 150


def test_a_trend_is_a_cause_of_the_level_and_of_no_run() -> None:
    """Three runs that lose 6 % make the level SUSPECT; in each of them that may be chance."""
    random = np.random.default_rng(9)
    rows = 1000 * (1 - 0.06 * X / 20 + 0.005 * random.standard_normal((3, 20)))
    (level,) = one_system(
        recording(row.round().astype(int).tolist(), repeat=repeat) for repeat, row in enumerate(rows)
    ).levels
    (cause,) = level.trust.disturbance.causes
    assert cause.rule == "trend"
    assert cause.throughput.high_percent == pytest.approx(2.06, abs=0.3)
    assert level.trust.disturbance.by_others.causes == [], "no reason to run again"
    assert all(not repeat.trust.disturbance.causes for repeat in level.repeats)
    assert {repeat.trust.verdict for repeat in level.repeats} == {"VALID"}
    (reason,) = (each for each in level.findings if each.rule in rules(level))
    assert (level.trust.verdict, reason.rule) == ("SUSPECT", "disturbed")
    assert [each.rule for each in reason.because] == ["trend"]
