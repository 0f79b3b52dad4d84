"""What a result document says of the order of pairs, from the recordings of a study."""

from __future__ import annotations

import numpy as np
import pytest

from igen.judge import analyse, result_of
from igen.judge.compare.ratio import PairOrder
from igen.judge.figure.noise import Session, noise_of
from igen.judge.record.turns import turns
from igen.judge.result import OverallRatio, Ratio, Result
from tests.judge.synthetic import recording

COSTS = 0.03
"""Share of the throughput that going first costs."""
FACTOR = 1.05


def study(
    repeats: int, seed: str, *, users: tuple[int, ...] = (1,), known: bool = True, test: str = ""
) -> Result:
    random = np.random.default_rng(1)
    made = []
    for repeat in range(repeats):
        for load in users:
            for place, side in enumerate(turns(2, repeat, f"{seed} {load}")):
                rate = 100_000 * load * (FACTOR if side else 1.0) * (1 if place else 1 - COSTS)
                made.append(
                    recording(
                        [round(rate * (1 + 0.001 * random.standard_normal()))] * 10,
                        users=load,
                        level=load + 10 * side,
                        repeat=repeat,
                        system="AB"[side],
                        order=len(made) if known else None,
                        test=test,
                    )
                )
    return result_of(analyse(made))


def deciding(result: Result) -> Ratio:
    (found,) = (ratio for ratio in result.ratios if ratio.decides)
    return found


@pytest.mark.parametrize("seed", ["1", "2", "3", "4"])
def test_going_first_is_not_in_the_ratio(seed: str) -> None:
    ratio = deciding(study(5, seed))
    assert isinstance(ratio.order, PairOrder)
    assert (ratio.order.pairs, ratio.order.system_first in (2, 3)) == (5, True)
    assert ratio.ratio.value == pytest.approx(FACTOR, rel=0.003)
    effect = ratio.order.first_over_second
    assert effect is not None
    assert effect.low is not None
    assert effect.high is not None
    assert effect.value == pytest.approx(1 - COSTS, rel=0.003)
    assert effect.low < 1 - COSTS < effect.high < 1
    unknown = deciding(study(5, seed, known=False))
    assert unknown.order is None
    assert abs(np.log(unknown.ratio.value / FACTOR)) > 0.004, "one system went first once more often"


def test_below_5_pairs_it_is_told_who_went_first_and_no_more() -> None:
    ratio = deciding(study(4, "1"))
    assert ratio.order == PairOrder(pairs=4, system_first=2, first_over_second=None)
    assert ratio.ratio.value == pytest.approx(FACTOR, rel=0.003)


@pytest.mark.slow
def test_of_several_loads_the_mean_of_who_was_first_is_in_the_model() -> None:
    for seed in map(str, range(5)):
        (overall,) = study(5, seed, users=(1, 2, 4), test="R1").overall
        assert isinstance(overall, OverallRatio)
        assert overall.ratio.value == pytest.approx(FACTOR, rel=0.003)
        assert overall.answer == "faster"


def test_it_is_not_taken_for_noise_of_the_machine() -> None:
    random = np.random.default_rng(2)

    def session(*, known: bool, seed: int) -> Session:
        first = [1.0 if turns(2, repeat, str(seed))[0] == 1 else -1.0 for repeat in range(8)]
        a, b = np.exp(0.005 * random.standard_normal((2, 8)))
        late = [(a[at] * (1 - COSTS * (x < 0)), b[at] * (1 - COSTS * (x > 0))) for at, x in enumerate(first)]
        return Session(started_unix_s=0.0, pairs=late, first=first if known else None)

    known, unknown = (
        noise_of([session(known=each, seed=seed) for seed in range(40)]) for each in (True, False)
    )
    assert known is not None
    assert unknown is not None
    assert known.between_pairs == pytest.approx(0.005 * np.sqrt(2), rel=0.1)
    assert unknown.between_pairs > COSTS
    assert known.false_claims <= 0.15 * 40
