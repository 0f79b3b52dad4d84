"""The variance from run to run of the levels of a system, against scipy and in seeded simulations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from igen.judge.curve.spreads import level_spreads
from igen.judge.figure.interval import log_interval
from igen.judge.figure.spread import Spread, pooled, spread_of, spreads_of
from igen.judge.figure.student import f_tail
from igen.judge.record.form import Arrivals
from igen.judge.record.recording import Recording
from igen.judge.record.snapshot import Statistics
from igen.judge.run.measured import measure, measure_level
from igen.judge.trust.rules.statistics import SAME_VARIANCE_P
from tests.judge.synthetic import histogram, one_system, recording, snapshot, statistics
from tests.judge.test_personas import of_both, orders_for, together
from tests.said import rules

QUIET = [100.0, 101.0, 99.5]
ALIKE = [200.0, 203.0, 199.0]
NOISY = [100.0, 130.0, 80.0]

FREEDOM = st.floats(1, 500)
VARIANCE = st.floats(1e-8, 1e8)
FIGURES = st.lists(st.lists(st.floats(0.5, 2.0), min_size=1, max_size=6), min_size=1, max_size=6)


@given(VARIANCE, VARIANCE, FREEDOM, FREEDOM)
def test_the_tail_of_f_is_that_of_scipy(variance: float, other: float, ours: float, others: float) -> None:
    expected = stats.f.sf(variance / other, ours, others)
    assert f_tail(variance, other, ours, others) == pytest.approx(expected, rel=1e-8, abs=1e-12)


@pytest.mark.parametrize(
    ("variance", "other", "above"), [(0.0, 0.0, 0.5), (0.0, 1.0, 1.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.5)]
)
def test_the_tail_of_f_without_variance(variance: float, other: float, above: float) -> None:
    assert f_tail(variance, other, 4, 4) == pytest.approx(above)


@given(st.lists(st.floats(0.01, 1e6), min_size=2, max_size=8), st.floats(0.001, 1000))
def test_the_spread_is_that_of_logarithms_and_has_no_unit(values: list[float], unit: float) -> None:
    found = spread_of(values)
    assert found.variance == pytest.approx(np.cov(np.log(values)), rel=1e-9, abs=1e-15)
    assert found.freedom == len(values) - 1
    assert spread_of([unit * value for value in values]).variance == pytest.approx(
        found.variance, rel=1e-6, abs=1e-12
    )


def test_variances_are_pooled_by_degrees_of_freedom() -> None:
    assert pooled([Spread(4.0, 2.0), Spread(1.0, 6.0)]) == Spread(1.75, 8.0)
    assert pooled([]) is None


def test_levels_that_are_alike_share_their_spread() -> None:
    """σ² is that of all deviations from the levels' own means, with Σ (nᵢ - 1) degrees of freedom."""
    logs = [np.log(values) for values in (QUIET, ALIKE)]
    expected = sum(float(((each - each.mean()) ** 2).sum()) for each in logs) / 4
    first, second = spreads_of([QUIET, ALIKE])
    assert first == second
    assert first is not None
    assert (first.variance, first.freedom) == (pytest.approx(expected), 4)


def test_a_level_of_another_variance_keeps_its_own() -> None:
    *_, noisy = spreads_of([QUIET, ALIKE, [300.0, 302.0, 297.5], NOISY])
    assert noisy == spread_of(NOISY)


@given(FIGURES)
def test_levels_share_if_an_f_test_of_scipy_finds_no_difference(levels: list[list[float]]) -> None:
    """Each level with two runs is held against the pooled variance of all others."""
    own = [(np.var(np.log(each), ddof=1), len(each) - 1) for each in levels if len(each) > 1]
    like = []
    for place, (variance, freedom) in enumerate(own):
        others = own[:place] + own[place + 1 :]
        rest_freedom = sum(each for _, each in others)
        rest = sum(v * f for v, f in others) / rest_freedom if others else 0.0
        if not others or variance == rest == 0:
            p = 1.0
        else:
            p = stats.f.sf(variance / rest, freedom, rest_freedom) if rest else 0.0
        assume(abs(p - SAME_VARIANCE_P.value) > 1e-9)
        like.append(p >= SAME_VARIANCE_P.value)
    found = [each for each in spreads_of(levels) if each is not None]
    assert len(found) == len(own)
    shared = sum(f for (_, f), is_like in zip(own, like, strict=True) if is_like)
    for each, (variance, freedom), is_like in zip(found, own, like, strict=True):
        assert each.freedom == (shared if is_like else freedom)
        assert is_like or each.variance == pytest.approx(variance)


@given(FIGURES, st.randoms(use_true_random=False))
def test_the_order_of_levels_and_their_heights_do_not_matter(
    levels: list[list[float]], random: np.random.Generator
) -> None:
    places = list(range(len(levels)))
    random.shuffle(places)  # type: ignore[arg-type]
    found = spreads_of(levels)
    moved = spreads_of([[8.0 * value for value in levels[place]] for place in places])
    for place, each in zip(places, moved, strict=True):
        before = found[place]
        assert (each is None) == (before is None)
        if each is not None and before is not None:
            assert each.variance == pytest.approx(before.variance, rel=1e-6, abs=1e-12)


def test_one_run_or_a_run_that_did_nothing_tells_no_spread() -> None:
    assert spreads_of([[100.0], [0.0, 5.0], []]) == [None] * 3
    alone, _, known = spreads_of([[100.0], [0.0, 5.0], QUIET])
    assert (alone, known) == (None, spread_of(QUIET))


def coverage(sd: list[float], runs: int, studies: int = 500) -> np.ndarray:
    """Return by level the share of 95 % intervals that hold the truth, 1."""
    random = np.random.default_rng(runs)
    held = np.zeros(len(sd))
    for _ in range(studies):
        levels = [np.exp(each * random.standard_normal(runs)).tolist() for each in sd]
        for place, (values, spread) in enumerate(zip(levels, spreads_of(levels), strict=True)):
            low, high = log_interval(values, spread=spread).ends() or (2.0, 2.0)
            held[place] += low <= 1 <= high
    return held / studies


@pytest.mark.parametrize(("runs", "least"), [(2, 0.89), (3, 0.91), (5, 0.93)])
def test_pooled_intervals_hold_the_truth(runs: int, least: float) -> None:
    """Levels that keep their own variance by chance cost some of the 0.95, the more the fewer runs they have.

    2,000 intervals; 0.911, 0.928 and 0.937 in longer simulations.
    """
    assert least <= np.mean(coverage([0.02] * 4, runs)) <= 0.97


def test_a_level_with_three_times_the_noise_holds_the_truth() -> None:
    """The goal is 0.90, of one of six levels with 5 repeats."""
    assert coverage([0.02] * 5 + [0.06], 5)[-1] >= 0.90


def test_pooled_intervals_are_narrower() -> None:
    """Four levels of three runs, 2 % of noise: alone ± 4.5 %, with the others a third less."""
    random = np.random.default_rng(1)
    alone, together = [], []
    for _ in range(200):
        levels = [np.exp(0.02 * random.standard_normal(3)).tolist() for _ in range(4)]
        alone += [log_interval(values).half() for values in levels]
        together += [
            log_interval(values, spread=spread).half()
            for values, spread in zip(levels, spreads_of(levels), strict=True)
        ]
    assert np.mean(alone) == pytest.approx(0.045, rel=0.1)
    assert np.mean(together) < 0.7 * np.mean(alone)


def runs_of(level: int, counts: list[int]) -> list[Recording]:
    return [
        recording([count] * 10, level=level, users=level + 1, repeat=repeat)
        for repeat, count in enumerate(counts)
    ]


def test_the_intervals_of_a_system_rest_on_all_its_levels() -> None:
    """Two runs alone are known to ± 12.7 standard errors, with the four of another level to ± 2.8."""
    counts = [[10_000, 10_200], [20_000, 20_300, 19_900, 20_200]]
    levels = one_system([run for place, each in enumerate(counts) for run in runs_of(place, each)]).levels
    deviations = [np.log(each) - np.log(each).mean() for each in counts]
    variance = sum(float(each @ each) for each in deviations) / 4
    for level, each in zip(levels, counts, strict=True):
        figure = level.throughput_per_s
        half = stats.t.ppf(0.975, 4) * math.sqrt(variance / len(each))
        assert figure.value == pytest.approx(np.mean(each)), "the arithmetic mean, which is what was done"
        assert figure.half() == pytest.approx(half)
        assert (figure.low, figure.high) == pytest.approx(
            (figure.value * math.exp(-half), figure.value * math.exp(half))
        )
        times = level.response_time_ms
        assert times is not None
        assert times.mean_interval is not None
        assert times.mean_interval.freedom == 4


def test_a_run_that_does_not_count_tells_no_spread() -> None:
    """A run that was cut off is far off; the level's interval is that of the others."""
    runs = runs_of(0, [10_000, 10_100, 9_900, 5_000])
    runs[3].outcome = "interrupted"
    (level,) = one_system(runs).levels
    assert [repeat.used for repeat in level.repeats] == [True] * 3 + [False]
    expected = log_interval([10_000, 10_100, 9_900]).half()
    assert level.throughput_per_s.half() == pytest.approx(expected)


def queued(repeat: int, correlation: float) -> Recording:
    """An open load whose mean times wander from second to second."""
    random = np.random.default_rng(repeat)
    noise = 0.0
    intervals = []
    for second in range(60):
        noise = correlation * noise + math.sqrt(1 - correlation**2) * random.standard_normal()
        times = histogram(np.full(100, round(1e6 * math.exp(0.3 * noise))))
        arrivals = Arrivals(due=100, started=100, unsent=0, backlog=0)
        part = Statistics(count=100, service_time=times, response_time=times)
        intervals.append(snapshot(second, part, arrivals=arrivals))
    return recording(snapshots=intervals, repeat=repeat, load={"open": {"rate_per_s": 100.0, "users": 500}})


@pytest.mark.parametrize(("correlation", "enough"), [(0.0, True), (0.9, False)])
def test_times_of_few_independent_values_have_no_interval(correlation: float, enough: bool) -> None:
    """60 intervals with a correlation of 0.9 are worth 60 × 0.1 / 1.9 = 3 values, less than 20."""
    runs = [queued(repeat, correlation) for repeat in range(5)]
    (level,) = one_system(runs).levels
    times = level.response_time_ms
    assert times is not None
    assert (times.mean_interval is not None, times.p99_interval is not None) == (enough, enough)
    assert ("too-short" in rules(level)) is not enough
    if not enough:
        assert (level.trust.throughput, level.trust.times) == ("VALID", "SUSPECT")
        (found,) = (each for each in level.findings if each.rule == "too-short")
        assert found.figure("independent_values") < found.limit == 20


def test_a_closed_load_has_intervals_whatever_its_times_do() -> None:
    """Its users wait for each answer: the times of a run are what its throughput is made of."""
    runs = [recording([1000] * 30 + [500] * 30, repeat=repeat, users=2) for repeat in range(3)]
    ((spread,),) = ([each[""]] for each in level_spreads([measure_level(runs)]))
    assert spread.independent_values is None
    assert spread.times["response_time"].enough


def test_each_of_several_loads_has_its_spread() -> None:
    """Clerks do more or less, orders come as fast in each run."""
    runs = []
    for clerks in (100, 110, 90):
        seconds = [together(snapshot(i, statistics(clerks, 10.0), users=2), orders_for(i)) for i in range(10)]
        runs.append(measure(of_both(seconds)))
    (spreads,) = level_spreads([runs])
    assert set(spreads) == {"", "clerks", "orders"}
    assert spreads["clerks"].throughput == spread_of([100.0, 110.0, 90.0])
    assert spreads["orders"].throughput == Spread(0.0, 2.0)
