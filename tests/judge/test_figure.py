"""A figure keeps what is known of it, in another unit, as a price and after a choice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from igen.judge.figure.figure import FAMILY_ERROR, Figure, Kind

KINDS = st.sampled_from(["mean", "runs", "pairs", "sequence"])
FIGURES = st.builds(
    Figure.estimated,
    value=st.floats(0.5, 2.0),
    error=st.floats(0, 0.3),
    freedom=st.floats(2, 30),
    n=st.integers(3, 30),
    kind=KINDS,
)
RATIOS = FIGURES.filter(lambda figure: figure.kind != "mean")
FACTORS = st.floats(0.01, 100)


@given(FIGURES, FACTORS, st.floats(0.001, 0.2), st.floats(-0.5, 0), st.floats(0, 0.5))
def test_a_unit_changes_no_answer(
    figure: Figure, factor: float, error: float, down: float, up: float
) -> None:
    known = figure.disturbed((down, up))
    ends, scaled = known.ends(error), (known * factor).ends(error)
    assert scaled == (ends and pytest.approx((factor * ends[0], factor * ends[1])))
    shared = (known / (1 / factor)).ends(error)
    assert shared == (scaled and pytest.approx(scaled))


@given(FIGURES, FACTORS)
def test_a_price_has_the_inverted_interval(figure: Figure, of: float) -> None:
    price, ends = of / figure, figure.ends()
    assert price.value == pytest.approx(of / figure.value)
    if ends is None or ends[0] <= 0:
        assert price.ends() is None
    else:
        assert price.ends() == pytest.approx((of / ends[1], of / ends[0]))


@given(RATIOS, st.floats(0.001, 0.2))
def test_p_is_below_an_error_if_its_interval_leaves_out_1(ratio: Figure, error: float) -> None:
    assert ratio.p is not None
    if abs(ratio.p - error) > 1e-6:
        side = ratio.against(1.0, 1.0, error=error)
        assert (side in ("above", "below")) == (ratio.p < error)


@given(FIGURES, st.floats(0, 1), st.floats(0.001, 0.2))
def test_no_narrower_is_wider_at_each_confidence(figure: Figure, half: float, error: float) -> None:
    wider = figure.no_narrower(half)
    assert wider.half() >= min(half, figure.half()) * (1 - 1e-9)
    assert wider.half(error) >= figure.half(error) * (1 - 1e-9)
    assert wider.no_narrower(half / 2) == wider


@given(FIGURES, st.integers(1, 20))
def test_a_choice_moves_the_lower_end_alone(figure: Figure, among: int) -> None:
    chosen = figure.lowered_for_choice(among)
    assert (chosen.value, chosen.high, chosen.n) == (figure.value, figure.high, figure.n)
    assert (chosen.low or 0.0) <= (figure.low or 0.0)
    if figure.kind == "mean" and figure.low and chosen.low:
        assert chosen.low == pytest.approx(figure.value - figure.half(FAMILY_ERROR / among))


@pytest.mark.parametrize("kind", ["mean", "runs"])
def test_what_disturbed_is_in_the_answer_and_in_the_wider_figure(kind: Kind) -> None:
    figure = Figure.estimated(1.1, 0.01, 9.0, 10, kind)
    assert figure.against(1.0, 1.0) == "above"
    disturbed = figure.disturbed((-0.09, 0.0))
    assert (disturbed.low, disturbed.high) == (figure.low, figure.high)
    assert disturbed.against(1.0, 1.0) == "cannot tell"
    assert disturbed.widened().against(1.0, 1.0) == "cannot tell"
    assert (disturbed.widened().low, disturbed.widened().high) == disturbed.ends()
    assert disturbed.untested().disturbance == pytest.approx(0.09)
