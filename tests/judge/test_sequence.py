"""Confidence sequences: looking after each run costs nothing."""

from __future__ import annotations

import numpy as np
import pytest

from igen.judge.curve.sweep import enough
from igen.judge.figure.figure import critical_of
from igen.judge.figure.interval import log_interval, paired_ratio
from igen.judge.figure.pairs import Pairs
from igen.judge.figure.sequence import p_of_sequence


def test_continuous_peeking_claims_nothing_in_95_percent() -> None:
    """Two systems that are the same, looked at after each of 60 pairs; a t test would claim in 30 %."""
    random = np.random.default_rng(17)
    claimed, by_t = 0, 0
    for _ in range(500):
        logs = 0.03 * random.standard_normal(60)
        n = np.arange(1, 61)
        means = np.cumsum(logs) / n
        variances = (np.cumsum(logs**2) - n * means**2)[2:] / (n[2:] - 1)
        t = means[2:] / np.sqrt(variances / n[2:])
        claimed += any(
            p_of_sequence(int(k), float(each), k - 1.0) < 0.05 for k, each in zip(n[2:], t, strict=True)
        )
        by_t += any(
            abs(each) > critical_of("pairs", int(k), k - 1.0, 0.05) for k, each in zip(n[2:], t, strict=True)
        )
    assert claimed <= 0.05 * 500
    assert by_t > 0.2 * 500


@pytest.mark.parametrize("n", [3, 5, 12, 50])
def test_interval_and_p_value_agree(n: int) -> None:
    """The interval ends where p is 0.05: they are one test."""
    critical = critical_of("sequence", n, n - 1.0, 0.05)
    assert p_of_sequence(n, critical, n - 1.0) == pytest.approx(0.05, rel=1e-9)


def test_the_sequence_is_wider_than_the_interval_of_a_fixed_number() -> None:
    values, base = [1.10, 1.12, 1.09, 1.11, 1.10], [1.0, 1.01, 1.0, 0.99, 1.0]
    sequence, fixed = (
        paired_ratio(Pairs(values=values, base=base), looked=looked) for looked in (True, False)
    )
    assert sequence.value == pytest.approx(fixed.value)
    assert sequence.low is not None
    assert fixed.low is not None
    assert 1 < sequence.low < fixed.low
    assert paired_ratio(Pairs(values=[1.0] * 3, base=[1.0] * 3), looked=True).p == 1.0
    assert paired_ratio(Pairs(values=[1.0] * 2, base=[1.0] * 2), looked=True).low is None


def test_a_level_that_stopped_by_looking_is_still_covered() -> None:
    """`--repeats auto` stops when the sequence is 2 % wide; the published interval is that sequence."""
    random = np.random.default_rng(10)
    for noise in (0.003, 0.01):
        covered = []
        for _ in range(300):
            means: list[float] = []
            while not enough(means):
                means.append(100 * np.exp(noise * random.standard_normal()))
            half = log_interval(means, "sequence").half()
            covered.append(abs(np.log(means).mean() - np.log(100)) <= half)
        assert np.mean(covered) >= 0.95
