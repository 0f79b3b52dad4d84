"""The one question to a figure: properties of its answers, with any interval and any limits."""

from __future__ import annotations

from math import exp, inf, nan
from typing import Literal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from igen.judge.figure.figure import Figure, Side
from tests.judge.asked import asked

SIDES: tuple[Literal[1, 2], ...] = (1, 2)
NUMBERS = st.floats(-1e6, 1e6)
LIMITS = st.floats(allow_nan=False)
WIDER = st.floats(0, 1e6)
MIRRORED: dict[Side, Side] = {
    "above": "below",
    "below": "above",
    "within": "within",
    "cannot tell": "cannot tell",
}


def against(ends: tuple[float, float], least: float = -inf, most: float = inf) -> Side:
    return Figure(value=0.0, low=ends[0], high=ends[1]).against(least, most)


def ordered(one: float, other: float) -> tuple[float, float]:
    return min(one, other), max(one, other)


@given(NUMBERS, NUMBERS, LIMITS, LIMITS, WIDER, WIDER)
def test_a_wider_interval_says_the_same_or_nothing(
    one: float, other: float, limit: float, another: float, down: float, up: float
) -> None:
    (low, high), limits = ordered(one, other), ordered(limit, another)
    wide = against((low - down, high + up), *limits)
    assert wide in ("cannot tell", against((low, high), *limits))


@given(NUMBERS, NUMBERS, LIMITS, LIMITS)
def test_mirrored_limits_give_the_mirrored_answer(
    one: float, other: float, limit: float, another: float
) -> None:
    (low, high), (least, most) = ordered(one, other), ordered(limit, another)
    assert against((-high, -low), -most, -least) == MIRRORED[against((low, high), least, most)]


@given(NUMBERS, LIMITS, LIMITS)
def test_a_value_without_doubt_has_exactly_one_side(value: float, limit: float, another: float) -> None:
    least, most = ordered(limit, another)
    side = against((value, value), least, most)
    assert [side == "below", side == "within", side == "above"] == [
        value < least,
        least <= value <= most,
        value > most,
    ]


@given(NUMBERS, NUMBERS, LIMITS, LIMITS)
def test_an_interval_is_on_a_side_if_both_ends_are(
    one: float, other: float, limit: float, another: float
) -> None:
    (low, high), limits = ordered(one, other), ordered(limit, another)
    ends = {against((end, end), *limits) for end in (low, high)}
    assert against((low, high), *limits) == (ends.pop() if len(ends) == 1 else "cannot tell")


@given(NUMBERS, NUMBERS)
def test_one_limit_leaves_no_third_side(limit: float, value: float) -> None:
    assume(value != limit)
    assert against((value, value), limit, limit) == ("above" if value > limit else "below")
    assert against((value, value), least=limit) == ("within" if value > limit else "below")
    assert against((value, value), most=limit) == ("above" if value > limit else "within")


@pytest.mark.parametrize("ends", [(-inf, inf), (nan, nan), (0.5, nan)])
def test_an_interval_without_ends_says_nothing(ends: tuple[float, float]) -> None:
    assert against(ends, 0.0, 1.0) == "cannot tell"


def test_without_an_interval_nothing_can_be_told() -> None:
    assert Figure(value=0.5).against(0.0, 1.0) == "cannot tell"
    known = Figure(value=0.5, low=0.4, high=0.6)
    assert known.against(0.0, 1.0, sides=1) == "within", "one side at 5 % is less than both"
    assert known.against(0.0, 1.0, error=0.01) == "cannot tell", "no more than the 95 % interval is known"
    assert Figure.exactly(0.5).against(0.0, 1.0, error=0.01) == "within"


@given(
    st.floats(0.5, 2), st.floats(-1, 0), st.floats(0, 1), st.floats(0, 1), st.floats(-1, 1), st.floats(-1, 1)
)
def test_more_disturbance_and_less_error_never_make_an_answer(
    factor: float, down: float, up: float, more: float, limit: float, another: float
) -> None:
    known, limits = asked(factor).ratio, ordered(exp(limit), exp(another))
    disturbed, worse = (known.disturbed((down - each, up + each)) for each in (0.0, more))
    for sides in SIDES:
        side = disturbed.against(*limits, error=0.05, sides=sides)
        assert worse.against(*limits, error=0.05, sides=sides) in ("cannot tell", side)
        assert disturbed.against(*limits, error=0.01, sides=sides) in ("cannot tell", side)


def test_a_ratio_without_an_interval_is_nowhere() -> None:
    assert asked(1.2).ratio.untested().against(1.0, 1.0) == "cannot tell"
