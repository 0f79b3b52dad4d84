"""The ratio of a test rests on the repeats that all its loads have on both sides, and says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from igen.judge import analyse, result_of
from igen.judge.result import OverallRatio, Result
from igen.printed import printed
from igen.report.pair import overall_statements
from tests.judge.synthetic import recording

FACTOR = 0.8


def study(repeats: Mapping[tuple[str, int], Sequence[int]]) -> Result:
    """One test of A and B, whose throughput is `FACTOR` of it, with these repeats by system and users."""
    random = np.random.default_rng(1)
    factors = {"A": 1.0, "B": FACTOR}
    made = [
        recording(
            [round(10_000 * users * factors[system] * (1 + 0.001 * random.standard_normal()))] * 10,
            users=users,
            level=place,
            repeat=repeat,
            system=system,
            test="R3",
            started_unix_s=100.0 * repeat + place,
        )
        for place, ((system, users), of_level) in enumerate(repeats.items())
        for repeat in of_level
    ]
    return result_of(analyse(made))


def overall(repeats: Mapping[tuple[str, int], Sequence[int]]) -> OverallRatio:
    (found,) = study(repeats).overall
    return found


@pytest.mark.parametrize(
    ("at_one", "at_two", "pairs"),
    [
        (range(5), range(6), 5),
        (range(5), [0, 1, 3, 4, 5], 5),
        (range(3), range(10), 3),
        (range(5), range(5), 5),
    ],
    ids=["a sixth at one load", "one replaced at one load", "auto", "the same"],
)
def test_loads_may_have_repeats_of_their_own(
    at_one: Sequence[int], at_two: Sequence[int], pairs: int
) -> None:
    found = overall({(system, users): of for system in "AB" for users, of in ((1, at_one), (2, at_two))})
    assert found.ratio.n == pairs
    assert found.ratio.low is not None
    assert found.ratio.value == pytest.approx(FACTOR, rel=0.01)
    assert found.answer == "slower"


def test_a_repeat_that_one_side_lacks_does_not_count() -> None:
    found = overall({("A", 1): range(5), ("A", 2): range(5), ("B", 1): [0, 1, 2, 4], ("B", 2): range(5)})
    assert (found.ratio.n, found.ratio.low is None) == (4, False)


@pytest.mark.parametrize(
    ("repeats", "why"),
    [
        (range(2), "2 repeats with all loads on both sides, too few for an interval"),
        (range(1), "1 repeat with all loads on both sides, too few for an interval"),
    ],
)
def test_too_few_repeats_are_told_with_their_number(repeats: Sequence[int], why: str) -> None:
    (sentence,) = map(
        printed, overall_statements(study({(system, users): repeats for system in "AB" for users in (1, 2)}))
    )
    assert sentence == f"B against A, mean over the loads: R3 -20 % ({why})."


def test_without_a_common_repeat_the_ratio_is_that_of_the_means() -> None:
    found = overall({("A", 1): [0, 1, 2], ("B", 1): [3, 4, 5]})
    assert (found.ratio.low, found.answer) == (None, "cannot tell")
    assert found.ratio.value == pytest.approx(FACTOR, rel=0.02)
