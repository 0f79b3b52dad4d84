"""Numbers as text, by tables."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from igen.judge.result import Figure
from igen.layout import number


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.0, 3, "0"),
        (0.00123456, 3, "0.00123"),
        (0.132761, 3, "0.133"),
        (9.999, 3, "10.0"),
        (12.34, 3, "12.3"),
        (9751.8, 4, "9,752"),
        (1234567.0, 3, "1,234,567"),
        (-0.5, 2, "-0.50"),
        (None, 3, "–"),
        (math.nan, 3, "–"),
        (math.inf, 3, "–"),
    ],
)
def test_significant_digits(value: float | None, digits: int, text: str) -> None:
    assert number.significant(value, digits) == text


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([0.133, 1.108, 12.5], ["0.133", "1.108", "12.500"]),
        ([7532.4, 9751.8], ["7,532", "9,752"]),
        ([12.3, 998.7], ["12.3", "998.7"]),
        ([0.5, 123456.0], ["0.500", "123,456"]),
        ([0.0, 0.0], ["0", "0"]),
        ([None, 3.14159], ["–", "3.14"]),
        ([], []),
    ],
)
def test_a_column_lines_up_its_points(values: list[float | None], texts: list[str]) -> None:
    assert number.column(values) == texts


@given(st.lists(st.floats(min_value=1e-3, max_value=1e9), min_size=1))
def test_a_column_never_shows_a_positive_value_as_zero(values: list[float]) -> None:
    assert all(float(text.replace(",", "")) > 0 for text in number.column(values))


@pytest.mark.parametrize(
    ("value_ms", "text"),
    [(None, "–"), (0.000034, "34 ns"), (0.0852, "85.2 µs"), (1.24, "1.24 ms"), (2500.0, "2.5 s")],
)
def test_times_take_the_unit_that_suits_them(value_ms: float | None, text: str) -> None:
    assert number.time_ms(value_ms) == text


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("memory.total_bytes", 25276502016, "23.5 GiB"),
        ("cpu.logical", 2, "2"),
        ("cpu.smt", True, "yes"),
        ("cpu.mitigations", ["a", "b"], "a, b"),
        ("engine.clock_drift_ppm", 0.123456789, "0.123457"),
        ("kernel.release", "6.1", "6.1"),
        ("cpu.governor", None, "–"),
    ],
)
def test_facts_show_their_unit(name: str, value: object, text: str) -> None:
    assert number.datum(name, value) == text


def test_intervals_have_the_digits_of_their_value() -> None:
    estimate = Figure(value=9713.0, low=9596.2, high=9830.4, n=5)
    assert number.interval(estimate) == "9,596 to 9,830"
    assert number.half_width(estimate) == "±1.2 %"
    assert number.interval(Figure(value=3.0)) == "–"
    assert number.half_width(Figure(value=3.0)) == "–"
    assert number.half_width(Figure(value=10.0, low=1.0, high=19.94, n=3)) == "±99 %"
    assert number.half_width(Figure(value=10.0, low=9.5, high=10.3, n=3)) == "±5.0 %"
    assert number.half_width(Figure(value=8.45, low=0.83, high=86.2, n=3)) == "-90 to +920 %"
    assert number.half_width(Figure(value=24.77, low=0.0, high=54.73, n=2)) == "-100 to +121 %"


def test_ratios_near_one_have_three_decimals() -> None:
    estimate = Figure(value=1.0073, low=0.98617, high=1.0284, n=3)
    assert number.ratio(estimate) == "1.007"
    assert number.ratio_interval(estimate) == "0.986 to 1.028"
    assert number.ratio(Figure(value=0.01234)) == "0.0123"
    assert number.ratio(Figure(value=41.76)) == "41.76"


@pytest.mark.parametrize(
    ("values_ms", "unit"),
    [
        ([0.128, 12.5], "ms"),
        ([0.01, 0.02], "ms"),
        ([0.009, 450.0], "µs"),
        ([0.000034, 0.0009], "ns"),
        ([0.000034, 0.5], "µs"),
        ([], "ms"),
        ([None, 0.0], "ms"),
    ],
)
def test_times_of_a_table_share_the_unit_in_which_the_shortest_can_be_read(
    values_ms: list[float | None], unit: str
) -> None:
    name, per_ms = number.time_unit(values_ms)
    assert name == unit
    assert per_ms == {"ms": 1.0, "µs": 1e3, "ns": 1e6}[unit]
