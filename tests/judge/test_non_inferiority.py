"""The non-inferiority test: its answers, and how often it passes a system that is too slow."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from igen.judge.compare.answers import Asked
from igen.judge.compare.non_inferiority import not_slower
from igen.judge.figure.interval import log_welch
from tests.judge.asked import asked

STUDIES = 4000


@pytest.mark.parametrize(
    ("factor", "spread", "less_is_faster", "answer"),
    [
        (1.0, 1.0, False, "not slower"),
        (1.2, 1.0, False, "not slower"),
        (0.97, 1.0, False, "not slower"),
        (0.9, 1.0, False, "slower"),
        (0.95, 1.0, False, "cannot tell"),
        (1.0, 20.0, False, "cannot tell"),
        (1.2, 1.0, True, "slower"),
        (0.8, 1.0, True, "not slower"),
        (1.03, 1.0, True, "not slower"),
    ],
)
def test_three_answers(factor: float, spread: float, less_is_faster: bool, answer: str) -> None:
    found = not_slower(asked(factor, spread, less_is_faster=less_is_faster), 0.05)
    assert (found.answer, found.margin_percent) == (answer, pytest.approx(5))
    assert found.worst is not None
    assert (found.worst > factor) == less_is_faster


def test_disturbance_is_no_proof_of_either() -> None:
    assert not_slower(asked(1.0, bounds=(-0.09, 0.0)), 0.05).answer == "cannot tell"
    assert not_slower(asked(1.0, bounds=(0.0, 0.09)), 0.05).answer == "not slower"
    assert not_slower(asked(0.9, bounds=(0.0, 0.09)), 0.05).answer == "cannot tell"


def test_too_few_runs_cannot_tell() -> None:
    found = not_slower(Asked(ratio=log_welch([100.0], [100.0])), 0.05)
    assert (found.answer, found.worst) == ("cannot tell", None)


@pytest.mark.parametrize("less_is_faster", [False, True])
def test_a_system_that_is_just_too_slow_passes_in_one_of_twenty_studies(less_is_faster: bool) -> None:
    random = np.random.default_rng(42)
    slower = (1 if less_is_faster else -1) * log(1.05)
    passed = 0
    for _ in range(STUDIES):
        values, base = (np.exp(mean + 0.02 * random.standard_normal(5)).tolist() for mean in (slower, 0.0))
        test = log_welch(values, base)
        passed += not_slower(Asked(ratio=test, less_is_faster=less_is_faster), 0.05).answer == "not slower"
    assert 0.035 < passed / STUDIES < 0.06
