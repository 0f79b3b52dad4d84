"""Runs that agree to the last transaction, of which each has few."""

from __future__ import annotations

from collections.abc import Iterator
from math import exp

import numpy as np
import pytest

from igen.judge import analyse, result_of
from igen.judge.curve.points import ratio_to
from igen.judge.figure.interval import paired_ratio
from igen.judge.figure.pairs import Pairs
from igen.judge.record.recording import Recording
from igen.judge.result import Level, Result
from igen.judge.run.counting import least_half_width, least_of_ratio
from igen.judge.trust.rules.curve import NOT_INFERIOR
from tests.judge.synthetic import recording
from tests.judge.test_claims import claims

MEASURE_S = 10


def regular(cycle_s: float, first_s: float, **rest: object) -> Iterator[Recording]:
    """Five runs of one user who ends a transaction every `cycle_s`, all alike."""
    ends_s = np.arange(first_s, MEASURE_S, cycle_s)
    counts = np.bincount(ends_s.astype(int), minlength=MEASURE_S).tolist()
    for repeat in range(5):
        yield recording(counts, repeat=repeat, **rest)  # type: ignore[arg-type]


def level(cycle_s: float, first_s: float) -> Level:
    (system,) = analyse([*regular(cycle_s, first_s)])
    (only,) = system.levels
    return only


def beside_each_other(a: tuple[float, float], b: tuple[float, float]) -> Result:
    runs = [*regular(*a, system="A", run="ab"), *regular(*b, system="B", run="ab")]
    return result_of(analyse(runs))


@pytest.mark.parametrize("seed", range(40))
def test_the_interval_holds_the_truth_wherever_the_first_transaction_ends(seed: int) -> None:
    random = np.random.default_rng(seed)
    cycle_s = float(random.uniform(0.3, 4))
    rate = level(cycle_s, float(random.uniform(0, cycle_s))).throughput_per_s
    assert rate.low is not None
    assert rate.high is not None
    assert rate.low <= 1 / cycle_s <= rate.high


def test_a_level_of_few_transactions_says_that_they_are_few() -> None:
    few = level(3.0, 2.9)
    assert few.throughput_per_s.low == pytest.approx(few.throughput_per_s.value * exp(-1 / 3))
    (note,) = (each for each in few.findings if each.rule == "few-transactions")
    assert note.figure("transactions_per_run") == 3
    assert not level(0.05, 0.01).findings


def test_the_same_system_is_no_other_one_for_a_transaction_that_ended_in_time() -> None:
    result = beside_each_other((3.0, 0.1), (3.0, 2.9))
    (throughput,) = [each for each in result.ratios if each.decides]
    assert throughput.run_ratios == [pytest.approx(3 / 4)] * 5
    assert throughput.answer == "cannot tell"
    assert throughput.ratio.low is not None
    assert throughput.ratio.low < 1 < (throughput.ratio.high or 0)
    assert not claims(result)


def test_what_is_twice_as_fast_is_said_to_be_faster_with_enough_transactions() -> None:
    result = beside_each_other((0.2, 0.1), (0.1, 0.05))
    (throughput,) = [each for each in result.ratios if each.decides]
    assert throughput.answer == "faster"


@pytest.mark.parametrize("noise", [0.0, 0.001, 0.02, 0.03, 0.1, 0.5])
@pytest.mark.parametrize("ratio", [1.0, 1.08, 1.5])
def test_no_ratio_is_told_more_narrowly_than_without_the_counts(noise: float, ratio: float) -> None:
    """Three pairs: of what varies by itself the own interval stays, with its few degrees of freedom."""
    base = level(0.3, 0.1)
    run_ratios = [ratio * (1 - noise), ratio, ratio * (1 + noise)]
    own = paired_ratio(Pairs(values=run_ratios, base=[1.0, 1.0, 1.0]))
    allowed = own.no_narrower(least_of_ratio([base.repeats, base.repeats]))
    for alpha in (0.1, 0.05, 0.01, 0.001):
        ends, own_ends = allowed.ends(alpha), own.ends(alpha)
        assert ends is not None
        assert own_ends is not None
        assert ends[0] <= own_ends[0] * (1 + 1e-12)
        assert ends[1] >= own_ends[1] * (1 - 1e-12)
    assert allowed.p is not None
    assert own.p is not None
    assert allowed.p >= own.p
    low, high = allowed.ends(0.05) or (1.0, 1.0)
    assert np.log(high / low) >= 2 * np.hypot(1, 1) * least_half_width(base.transactions, 5) - 1e-12
    assert (allowed == own) == (noise >= 0.02)


@pytest.mark.parametrize(("each_second", "is_shown"), [(2, False), (200, True)])
def test_another_load_does_the_work_of_the_peak_only_where_the_counts_can_tell(
    each_second: int, is_shown: bool
) -> None:
    """Five runs of both loads that agree to the last transaction: 20 cannot tell 97 % from 100 %."""
    runs = [
        recording([each_second] * MEASURE_S, users=users, level=number, repeat=repeat)
        for number, users in enumerate((1, 2))
        for repeat in range(5)
    ]
    (system,) = analyse(runs)
    lower, higher = system.levels
    ratio = ratio_to(lower, higher)
    assert ratio.low is not None
    assert (ratio.low >= NOT_INFERIOR.value) == is_shown
    assert system.peak is not None
    assert system.peak.alike_percent is not None
    assert (system.peak.alike_percent < 3) == is_shown
