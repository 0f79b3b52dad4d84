"""How a curve goes, in one sentence: a plateau is told from its begin."""

from __future__ import annotations

import numpy as np
import pytest

from igen.judge.result import Finding
from igen.report.curve_words import shape_of
from tests.judge.synthetic import one_system
from tests.judge.test_claims import closed


def shape(means: dict[int, float]) -> Finding:
    random = np.random.default_rng(5)
    (found,) = shape_of(one_system([*closed(random, means, 0.002, 5)]))
    return found


@pytest.mark.parametrize(
    ("means", "rule", "load"),
    [
        ({1: 2_500.0, 2: 5_000.0, 4: 10_000.0, 8: 10_000.0, 16: 10_000.0}, "levels-off", "4 users"),
        ({1: 2_500.0, 2: 5_000.0, 4: 10_000.0}, "still-grows", "4 users"),
        ({1: 5_000.0, 2: 10_000.0, 4: 6_000.0}, "highest-at", "2 users"),
    ],
)
def test_a_curve_is_told_by_what_more_load_brings(means: dict[int, float], rule: str, load: str) -> None:
    found = shape(means)
    assert (found.rule, found.part("load").text) == (rule, load)


def test_the_highest_load_is_told_if_it_does_less() -> None:
    found = shape({1: 5_000.0, 2: 10_000.0, 4: 6_000.0})
    assert found.figure("fall_percent") == pytest.approx(40, abs=1)
    assert found.part("fall_percent").text == "4 users"


def test_one_load_is_no_curve() -> None:
    system = one_system([*closed(np.random.default_rng(1), {1: 1_000.0}, 0.01, 5)])
    assert [*shape_of(system)] == []
