"""The four answers, from the test to the word."""

from __future__ import annotations

import numpy as np
import pytest

from igen.judge.compare.answers import Asked, answers
from igen.judge.figure.interval import SessionVariance, log_welch, paired_ratio
from igen.judge.figure.pairs import Pairs
from tests.judge.asked import BASE, asked


@pytest.mark.parametrize(
    ("factor", "spread", "less_is_faster", "answer"),
    [
        (1.2, 1.0, False, "faster"),
        (0.8, 1.0, False, "slower"),
        (1.2, 1.0, True, "slower"),
        (0.8, 1.0, True, "faster"),
        (1.0, 1.0, False, "equivalent"),
        (1.0, 20.0, False, "cannot tell"),
    ],
)
def test_four_answers(factor: float, spread: float, less_is_faster: bool, answer: str) -> None:
    (found,) = answers([asked(factor, spread, less_is_faster=less_is_faster)], 0.03)
    assert found.answer == answer
    assert found.visible_percent is not None
    assert found.repeats_needed is not None


def test_with_cannot_tell_stands_what_could_have_been_seen() -> None:
    (found,) = answers([asked(1.0, 20.0)], 0.03)
    assert found.visible_percent is not None
    assert found.visible_percent > 3
    assert found.repeats_needed is not None
    assert found.repeats_needed > len(BASE)
    (wider,) = answers([asked(1.0, 20.0)], 0.10)
    assert wider.repeats_needed is not None
    assert wider.repeats_needed < found.repeats_needed


def test_no_claim_is_smaller_than_the_disturbance() -> None:
    quiet, disturbed = asked(1.05), asked(1.05, bounds=(-0.09, 0.0))
    assert [each.answer for each in answers([quiet, disturbed], 0.03)] == ["faster", "cannot tell"]
    (found,) = answers([disturbed], 0.03)
    assert found.repeats_needed is None, "repeats do not make it smaller"
    assert found.disturbance_percent == pytest.approx(9.4, abs=0.1)
    (other_way,) = answers([asked(1.05, bounds=(0.0, 0.09))], 0.03)
    assert other_way.answer == "faster", "undisturbed it would be faster still"
    (same,) = answers([asked(1.0, bounds=(-0.05, 0.05))], 0.03)
    assert same.answer == "cannot tell", "nor is it known to be equivalent"


def test_many_questions_are_corrected_for_and_a_restated_one_is_none() -> None:
    one = asked(1.012)
    assert [each.answer for each in answers([one], 0.001)] == ["faster"]
    many = [one, *(asked(1.0, 20.0) for _ in range(40))]
    assert answers(many, 0.001)[0].answer == "cannot tell"
    restated = [one, *(asked(1.012, counts=False, like=0) for _ in range(40))]
    found = answers(restated, 0.001)
    assert {each.answer for each in found} == {"faster"}
    assert {each.questions for each in found} == {1}
    assert {each.p for each in found} == {found[0].p}


def test_sessions_are_in_the_interval_of_stored_runs() -> None:
    """Two sessions of one system whose means differ by 4 %: without their noise 5 runs claim in most
    studies."""
    random = np.random.default_rng(6)
    without, carried = [], []
    for _ in range(300):
        offsets = 0.04 * random.standard_normal(2)
        a, b = (np.exp(offset + 0.01 * random.standard_normal(5)).tolist() for offset in offsets)
        seen = 0.04**2 * random.chisquare(4) / 4
        for found, sessions in ((without, None), (carried, SessionVariance(seen, 4.0))):
            (answer,) = answers([Asked(ratio=log_welch(a, b, sessions))], 0.03)
            found.append(answer.answer in ("faster", "slower"))
    assert np.mean(without) > 0.6
    assert np.mean(carried) <= 0.07


def test_equal_systems_are_called_different_in_5_percent() -> None:
    random = np.random.default_rng(2)
    wrong = []
    for _ in range(400):
        questions = [
            Asked(ratio=paired_ratio(Pairs(values=values, base=base)))
            for values, base in np.exp(0.02 * random.standard_normal((6, 2, 5))).tolist()
        ]
        wrong.append(any(each.answer in ("faster", "slower") for each in answers(questions, 0.03)))
    assert np.mean(wrong) <= 0.07


def test_what_differs_by_the_margin_is_called_equivalent_in_5_percent() -> None:
    random = np.random.default_rng(3)
    wrong = []
    for _ in range(600):
        a, b = np.exp(0.01 * random.standard_normal((2, 8)))
        ratio = paired_ratio(Pairs(values=(1.03 * a).tolist(), base=b.tolist()))
        wrong.append(answers([Asked(ratio=ratio)], 0.03)[0].answer == "equivalent")
    assert np.mean(wrong) <= 0.07
