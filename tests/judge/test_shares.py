"""How the error of a report is shared out among its questions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from igen.judge.compare.shares import SHARES, share_out
from igen.judge.figure.figure import FAMILY_ERROR

P = st.floats(1e-9, 1.0)
FAMILIES = st.lists(st.lists(P, max_size=4), min_size=3, max_size=3)
OF_ALL = [*SHARES.values()]


def claimed(families: Sequence[Sequence[float]]) -> list[list[bool]]:
    return [[each.p < FAMILY_ERROR for each in of] for of in share_out(families, OF_ALL)]


def errors(families: Sequence[Sequence[float]]) -> list[list[float]]:
    return [[each.error for each in of] for of in share_out(families, OF_ALL)]


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment of the p-values of a family of tests, written independently."""
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        largest = max(largest, min(1.0, p_values[index] * (len(p_values) - rank)))
        adjusted[index] = largest
    return adjusted


@pytest.mark.parametrize(
    ("families", "expected"),
    [
        pytest.param([[0.5], [0.5, 0.5], [0.5]], [[0.03], [0.005, 0.005], [0.01]], id="nothing claimed"),
        pytest.param([[0.5], [], []], [[0.05], [], []], id="one question has all"),
        pytest.param([[0.5], [], [0.5, 0.5]], [[0.03], [], [0.01, 0.01]], id="one load"),
        pytest.param([[], [0.5, 0.5], [0.5]], [[], [0.02, 0.02], [0.01]], id="nothing over all loads"),
        pytest.param([[0.01], [0.5, 0.5], [0.5]], [[0.03], [0.02, 0.02], [0.01]], id="overall passes on"),
        pytest.param([[0.01], [0.019, 0.039], [0.5]], [[0.03], [0.02, 0.04], [0.05]], id="loads pass on"),
        pytest.param([[0.5], [0.6, 0.001], [0.5]], [[0.03], [0.01, 0.005], [0.01]], id="Holm"),
        pytest.param([[0.045], [0.001, 0.009], [0.001]], [[0.05], [0.005, 0.01], [0.01]], id="back"),
    ],
)
def test_who_has_which_share(
    families: Sequence[Sequence[float]], expected: Sequence[Sequence[float]]
) -> None:
    assert errors(families) == [pytest.approx(of) for of in expected]


@given(FAMILIES)
def test_a_question_is_claimed_if_its_own_p_is_below_its_share(families: list[list[float]]) -> None:
    for of, found in zip(families, share_out(families, OF_ALL), strict=True):
        for p, each in zip(of, found, strict=True):
            if each.p != pytest.approx(FAMILY_ERROR, rel=1e-9):
                assert (p < each.error) == (each.p < FAMILY_ERROR)


def test_holm() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


@given(st.lists(P, min_size=1, max_size=6))
def test_a_family_alone_is_holms(p_values: list[float]) -> None:
    found = [each.p for each in share_out([[], p_values, []], OF_ALL)[1]]
    assert found == pytest.approx(holm(p_values))


@given(FAMILIES, st.data())
def test_a_smaller_p_never_takes_a_claim_away(families: list[list[float]], data: st.DataObject) -> None:
    smaller = [[p * data.draw(st.floats(0.01, 1.0)) for p in of] for of in families]
    for before, after in zip(claimed(families), claimed(smaller), strict=True):
        assert all(later or not earlier for earlier, later in zip(before, after, strict=True))


@given(
    st.lists(st.lists(st.booleans(), max_size=4), min_size=3, max_size=3),
    st.integers(0, 2**32 - 1),
)
def test_a_wrong_claim_needs_a_p_that_is_rare(equal: list[list[bool]], seed: int) -> None:
    """Whatever the p-values of true differences are: wrong claims need a p of an equal pair below its part.

    The probabilities of these parts sum to the error at most (Bonferroni), so the error is kept for any
    dependence between the questions.
    """
    random = np.random.default_rng(seed)
    families = [[random.random() * (1.0 if is_equal else 0.02) for is_equal in of] for of in equal]
    # The most that others can pass on: all that are different are claimed.
    at_best = [[1.0 if is_equal else 0.0 for is_equal in of] for of in equal]
    most = errors(at_best)
    parts = [
        part
        for of, is_equal in zip(most, equal, strict=True)
        for part, e in zip(of, is_equal, strict=True)
        if e
    ]
    assert sum(parts) <= FAMILY_ERROR * (1 + 1e-9)
    wrong = [
        p
        for of, found, is_equal in zip(families, claimed(families), equal, strict=True)
        for p, told, e in zip(of, found, is_equal, strict=True)
        if told and e
    ]
    if wrong:
        assert any(
            p < part
            for of, of_most, is_equal in zip(families, most, equal, strict=True)
            for p, part, e in zip(of, of_most, is_equal, strict=True)
            if e
        )


@pytest.mark.parametrize("correlation", [0.0, 0.7])
def test_equal_systems_are_called_different_in_5_percent(correlation: float) -> None:
    from scipy.special import ndtr

    random = np.random.default_rng(3)
    studies, wrong = 4000, 0
    common = np.sqrt(correlation) * random.standard_normal((studies, 1))
    z = common + np.sqrt(1 - correlation) * random.standard_normal((studies, 13))
    for p in 2 * ndtr(-np.abs(z)):
        found = claimed([p[:1].tolist(), p[1:5].tolist(), p[5:].tolist()])
        wrong += any(map(any, found))
    assert wrong / studies <= FAMILY_ERROR + 3 * np.sqrt(0.05 * 0.95 / studies)
