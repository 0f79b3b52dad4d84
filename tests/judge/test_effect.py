"""What a comparison can see, against scipy's noncentral t and against simulated studies."""

from __future__ import annotations

from math import inf, log1p, sqrt

import numpy as np
import pytest
from scipy import stats

from igen.judge.compare.answers import Asked, answers
from igen.judge.figure.effect import power_of, repeats_for, visible_in_errors, visible_with
from igen.judge.figure.figure import Figure
from igen.judge.figure.interval import log_welch, paired_ratio
from igen.judge.figure.pairs import Pairs


@pytest.mark.parametrize(("effect", "freedom"), [(1.0, 4), (2.8, 8), (4.0, 30)])
def test_power_is_that_of_the_noncentral_t(effect: float, freedom: float) -> None:
    critical = stats.t.ppf(0.975, freedom)
    oracle = stats.nct.sf(critical, freedom, effect) + stats.nct.cdf(-critical, freedom, effect)
    assert power_of(effect, critical, freedom) == pytest.approx(oracle, abs=0.003)
    assert power_of(effect, inf, freedom) == 0
    assert power_of(visible_in_errors(critical, freedom), critical, freedom) == pytest.approx(0.8, abs=0.001)


def test_the_published_example() -> None:
    """2 % at 2 % noise: 17 runs a side, 8 pairs at a correlation of 0.7, 4 at 0.92."""
    spread = 0.02 * sqrt(2)
    assert repeats_for(0.02, spread, "runs") == 17
    assert [repeats_for(0.02, spread * sqrt(1 - r), "pairs") for r in (0.7, 0.92)] == [8, 4]
    assert repeats_for(0.02, spread, "runs", error=0.025) == 21
    assert repeats_for(0.02, spread, "runs", session_error=0.05) is None
    assert repeats_for(0.0, spread, "runs") is None
    assert visible_with(17, spread, "runs") == pytest.approx(0.02, rel=0.03)


@pytest.mark.parametrize(
    ("kind", "questions"),
    [("runs", 1), ("pairs", 1), ("pairs", 2), pytest.param("runs", 7, marks=pytest.mark.slow)],
)
def test_so_many_repeats_see_the_effect_in_four_of_five_studies(kind: str, questions: int) -> None:
    random = np.random.default_rng(5)
    effect, noise = log1p(0.02), 0.02
    n = repeats_for(effect, noise * sqrt(2), kind, error=0.05 / questions)  # type: ignore[arg-type]
    assert n is not None
    first = [1.0, -1.0] * n

    def ratio(values: list[float], base: list[float]) -> Figure:
        if kind == "runs":
            return log_welch(values, base)
        return paired_ratio(Pairs(values=values, base=base, first=first[:n]))

    seen = []
    for _ in range(250):
        asked = [
            Asked(
                ratio=ratio(
                    np.exp(noise * random.standard_normal(n) + shift).tolist(),
                    np.exp(noise * random.standard_normal(n)).tolist(),
                )
            )
            for shift in [effect] + [0.0] * (questions - 1)
        ]
        seen.append(answers(asked, 0.03)[0].answer == "faster")
    assert np.mean(seen) >= 0.74, "0.8 but for chance: 250 studies know it to 0.05"
    assert np.mean(seen) <= 0.9
