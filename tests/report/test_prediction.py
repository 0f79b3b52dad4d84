"""What `igen predict` says."""

from __future__ import annotations

from igen.judge.curve.laws.predict import predict_limit, predict_users
from igen.report.prediction import prediction_document
from igen.report.printers.terminal import Terminal, print_text
from tests.judge.laws.curves import lock_convoy, measured, universal


def text_of(*answers: object) -> str:
    return print_text(prediction_document(answers), Terminal(width=200))  # type: ignore[arg-type]


def test_a_prediction_names_its_law_and_how_it_did_at_unseen_levels() -> None:
    text = text_of(predict_users(measured(universal, 1), 40))
    assert text.startswith("shop: 40 users do 1,")
    assert (
        "It lies between loads that were measured (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128 users)"
        in text
    )
    assert "by the law USL, which was" in text
    assert "capped linear" in text
    assert "reject it" in text


def test_an_extrapolation_is_labelled() -> None:
    text = text_of(predict_users(measured(universal, 1), 200, extrapolate=True))
    assert "EXTRAPOLATED, outside of the measured range" in text
    assert "off at the last third, which it had not seen" in text


def test_a_curve_of_no_law_says_what_is_possible() -> None:
    assert "the levels reject every law: what is possible" in text_of(
        predict_users(measured(lock_convoy, 1), 10)
    )


def test_a_limit_is_answered_first() -> None:
    text = text_of(predict_limit(measured(universal, 1), 40))
    assert "keep the mean response time within 40 ms.\n" in text.splitlines(keepends=True)[0]


def test_a_measured_load_is_said_to_be() -> None:
    assert "It was measured (" in text_of(predict_users(measured(universal, 1), 16))
