"""How much faster, in words: the figure and its interval have the same unit and as many decimals."""

from __future__ import annotations

from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from igen.judge.result import Figure
from igen.say.change import OF_THROUGHPUT, OF_TIME, change, change_ends, signed_change, signed_ends


def ratio(value: float, low: float, high: float) -> Figure:
    return Figure(value=value, low=low, high=high)


@pytest.mark.parametrize(
    ("of", "said", "ends", "cell", "cell_ends"),
    [
        ((1.108, 1.081, 1.135), "10.8 % faster than a", "8.1 to 13.5 %", "+10.8 %", "+8.1 to +13.5"),
        ((0.908, 0.887, 0.929), "9.2 % slower than a", "7.1 to 11.3 %", "-9.2 %", "-11.3 to -7.1"),
        (
            (0.988, 0.95, 1.031), "1.2 % slower than a", "5.0 % slower to 3.1 % faster",
            "-1.2 %", "-5.0 to +3.1",
        ),
        (
            (1.00034, 1.0002, 1.0005), "0.03 % faster than a", "0.02 to 0.05 %",
            "+0.03 %", "+0.02 to +0.05",
        ),
        ((3.2, 2.91, 3.52), "3.20 × as fast as a", "2.91 to 3.52 ×", "3.20 ×", "2.91 to 3.52"),
        ((0.25, 0.2, 0.31), "0.250 × as fast as a", "0.200 to 0.310 ×", "0.250 ×", "0.200 to 0.310"),
        ((15.2, 14.9, 15.5), "15.2 × as fast as a", "14.9 to 15.5 ×", "15.2 ×", "14.9 to 15.5"),
    ],
)  # fmt: skip
def test_a_ratio_of_throughputs(
    of: tuple[float, float, float], said: str, ends: str, cell: str, cell_ends: str
) -> None:
    figure = ratio(*of)
    assert change(figure, OF_THROUGHPUT, "a") == said
    assert change_ends(figure, OF_THROUGHPUT) == ends
    assert (signed_change(figure), signed_ends(figure)) == (cell, cell_ends)


def test_a_ratio_of_times_is_longer_or_shorter() -> None:
    assert change(ratio(1.12, 1.1, 1.14), OF_TIME) == "12.0 % longer"
    assert change(ratio(0.88, 0.8, 0.9), OF_TIME, "with a") == "12.0 % shorter than with a"
    assert change(ratio(2.2, 2.1, 2.3), OF_TIME, "with a") == "2.20 × as long as with a"


def test_without_an_interval_nothing_is_said_of_it() -> None:
    assert change_ends(Figure(value=1.1), OF_THROUGHPUT) == signed_ends(Figure(value=1.1)) == ""


@given(st.floats(-4, 4), st.floats(0, 1), st.floats(0, 1))
def test_the_words_have_the_direction_of_the_ratio(log: float, down: float, up: float) -> None:
    figure = ratio(exp(log), exp(log - down), exp(log + up))
    said, inverse = (change(each, OF_THROUGHPUT) for each in (figure, ratio(exp(-log), 0.1, 10)))
    assert ("faster" in said) <= (figure.value >= 1)
    assert ("slower" in said) <= (figure.value < 1)
    assert ("×" in said) == ("×" in inverse), "a ratio and its inverse are said in the same unit"
    assert signed_ends(figure).count(" to ") == 1
