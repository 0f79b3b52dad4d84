"""The ratio of pairs apart from what going first does, against least squares and simulated studies."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from igen.judge.figure.interval import paired_ratio
from igen.judge.figure.pair_model import fit_pairs, planned_pairs
from igen.judge.figure.pairs import Pairs, RunFigure, paired
from igen.judge.record.turns import DOUBLE_BLOCK, turns
from igen.judge.trust.rules.comparison import LEAST_PAIRS_OF_ORDER
from igen.judge.trust.rules.statistics import LEAST_RUNS

STUDIES = 1500


def who_is_first(repeats: int, seed: int) -> list[float]:
    """As a study with this seed executes two systems: base 0, system 1."""
    return [1.0 if turns(2, repeat, str(seed))[0] == 1 else -1.0 for repeat in range(repeats)]


def pairs_of(
    random: np.random.Generator, first: list[float], going_first: float, ratio: float = 0.0
) -> Pairs:
    noise = 0.01 * random.standard_normal((2, len(first)))
    x = np.array(first)
    values = np.exp(ratio + going_first * (x > 0) + noise[0])
    base = np.exp(going_first * (x < 0) + noise[1])
    return Pairs(values=values.tolist(), base=base.tolist(), first=first)


def begin_of(pairs: Pairs, n: int) -> Pairs:
    assert pairs.first is not None
    return Pairs(values=pairs.values[:n], base=pairs.base[:n], first=pairs.first[:n])


@pytest.mark.parametrize("first", [[1, -1, 1, -1, 1], [1, -1, -1, -1, -1, 1, -1], [0.5, -0.5, 1, -1, 0.25]])
def test_the_model_is_that_of_least_squares(first: list[float]) -> None:
    d = np.random.default_rng(1).standard_normal(len(first))
    fit = fit_pairs(d.tolist(), first)
    oracle = stats.linregress(first, d)
    assert fit.going_first is not None
    assert fit.difference.value == pytest.approx(oracle.intercept)
    assert fit.difference.error == pytest.approx(oracle.intercept_stderr)
    assert fit.going_first.value == pytest.approx(oracle.slope)
    assert fit.going_first.error == pytest.approx(oracle.stderr)
    assert fit.freedom == len(first) - 2


def test_without_an_order_that_can_be_known_it_is_the_plain_mean() -> None:
    d = [0.1, 0.2, 0.4, 0.1, 0.3]
    for some, first in ((d[:4], [1, -1, 1, -1.0]), (d, None), (d, [1.0] * 5), (d, [0.0] * 5)):
        fit = fit_pairs(some, first)
        assert fit.going_first is None
        assert fit.difference.value == pytest.approx(np.mean(some))
        assert fit.difference.error == pytest.approx(stats.sem(some))
        assert (fit.freedom, fit.information) == (len(some) - 1, len(some))


@pytest.mark.parametrize("pairs", [3, 4, 5, 6, 9])
def test_what_a_plan_knows_is_what_the_model_knows(pairs: int) -> None:
    d = np.random.default_rng(2).standard_normal(pairs).tolist()
    fit = fit_pairs(d, who_is_first(pairs, 3))
    assert planned_pairs(pairs) == pytest.approx((fit.freedom, fit.information))


@pytest.mark.parametrize("repeats", [3, 4, 5, 6, 7, 10])
@pytest.mark.parametrize("going_first", [0.0, 0.01, 0.03])
def test_identical_systems_are_called_different_in_5_percent(repeats: int, going_first: float) -> None:
    random = np.random.default_rng(repeats)
    claimed, off = [], []
    for seed in range(STUDIES):
        first = who_is_first(repeats, seed)
        test = paired_ratio(pairs_of(random, first, going_first))
        claimed.append(test.p is not None and test.p < 0.05)
        off.append(np.log(test.value))
    assert np.mean(claimed) <= 0.06 + 3 * np.sqrt(0.05 * 0.95 / STUDIES)
    assert abs(np.mean(off)) <= 0.05 * going_first + 3 * np.std(off) / np.sqrt(STUDIES)
    if repeats >= LEAST_PAIRS_OF_ORDER.value and going_first:
        assert np.mean(claimed) >= 0.03, "going first is not in the noise"


# The middle one is between the two that stay.
@pytest.mark.parametrize("going_first", [0.0, pytest.param(0.03, marks=pytest.mark.slow), 1.0])
def test_looking_costs_nothing_whatever_going_first_does(going_first: float) -> None:
    """Also if one looks at pairs that are not balanced, and goes on to 40 pairs."""
    random = np.random.default_rng(7)
    claimed = {1: 0, DOUBLE_BLOCK: 0}
    studies = 400
    for seed in range(studies):
        first = who_is_first(40, seed)
        pairs = pairs_of(random, first, going_first)
        for every in claimed:
            looks = (n for n in range(LEAST_RUNS.value, 41) if n % every == 0)
            tests = (paired_ratio(begin_of(pairs, n), looked=True) for n in looks)
            claimed[every] += any(test.p is not None and test.p < 0.05 for test in tests)
    assert all(count <= 0.05 * studies for count in claimed.values()), claimed


def test_a_sequence_finds_what_is_there() -> None:
    random = np.random.default_rng(8)
    found = []
    for seed in range(100):
        first = who_is_first(20, seed)
        pairs = pairs_of(random, first, 0.03, ratio=0.03)
        found.append(paired_ratio(pairs, looked=True).low or 0.0)
    assert np.mean(np.array(found) > 1) >= 0.8


def test_who_is_first_is_known_by_the_order_of_both_runs() -> None:
    ours = {0: RunFigure(2.0, 1), 1: RunFigure(4.0, 2), 2: RunFigure(9.0, 5)}
    theirs = {0: RunFigure(1.0, 0), 1: RunFigure(1.0, 3), 3: RunFigure(5.0, 4)}
    pairs = paired(ours, theirs)
    assert (pairs.ratios, pairs.first) == ([2.0, 4.0], [-1.0, 1.0])
    assert paired(ours, theirs | {1: RunFigure(1.0)}).first is None
