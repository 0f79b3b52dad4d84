"""Which second measurement contradicts a claim, and which claim is wrong."""

from __future__ import annotations

import pytest

from bench.replication import Answer, Question, contradicted, wrong
from igen.judge.figure.figure import Figure

SECOND = {"well above": 1.10, "above": 1.02, "around": 1.0, "below": 0.98, "well below": 0.90}
"""Ratios that are known to 0.4 %."""


def answer(name: str, ratio: float = 1.0, disturbance: float = 0.0) -> Answer:
    figure = Figure.estimated(ratio, 0.002, 1000.0)
    return Answer(name, figure.disturbed((-disturbance, disturbance)), margin=0.03)


@pytest.mark.parametrize(
    ("claim", "by"),
    [
        ("faster", {"below", "well below"}),
        ("slower", {"above", "well above"}),
        ("equivalent", {"well above", "well below"}),
    ],
)
def test_a_second_interval_that_excludes_a_claim_contradicts_it(claim: str, by: set[str]) -> None:
    found = {name for name, ratio in SECOND.items() if contradicted(answer(claim), answer("any", ratio))}
    assert found == by


def test_a_disturbed_second_measurement_contradicts_nothing() -> None:
    assert not contradicted(answer("faster"), answer("any", 0.9, disturbance=0.2))


@pytest.mark.parametrize(
    ("effect", "right"),
    [
        (0.0, {"equivalent"}),
        (0.02, {"slower", "equivalent"}),
        (0.05, {"slower"}),
        (-0.05, {"faster"}),
    ],
)
def test_a_claim_is_held_against_what_was_made(effect: float, right: set[str]) -> None:
    question = Question("http", effect)
    assert {each for each in ("faster", "slower", "equivalent") if not wrong(question, answer(each))} == right
