from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from igen import units
from igen.errors import InputError


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0.005", 0.005), ("5ms", 0.005), ("2min", 120), ("250 us", 250e-6), ("1_000 ns", 1e-6), (" 1h ", 3600)],
)
def test_times(text: str, seconds: float) -> None:
    assert units.parse_time_s(text) == pytest.approx(seconds)


@pytest.mark.parametrize(("text", "rate"), [("10/s", 10), ("600/min", 10), ("36", 36), ("36/h", 0.01)])
def test_rates(text: str, rate: float) -> None:
    assert units.parse_rate_per_s(text) == pytest.approx(rate)


@pytest.mark.parametrize("text", ["", "s", "_", "1.2.3s", "-1s", "inf", "nan", "1e3", "5 parsecs", "5MiB"])
def test_nonsense_is_not_a_time(text: str) -> None:
    with pytest.raises(InputError):
        units.parse_time_s(text)


def test_an_error_names_the_units() -> None:
    with pytest.raises(InputError, match="parsecs") as caught:
        units.parse_time_s("5 parsecs")
    assert all(unit in caught.value.hint for unit in units.TIME_UNITS)
    with pytest.raises(InputError, match="above 0"):
        units.parse_rate_per_s("0/s")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (20666, "20,666"),
        (0.0041234, "0.004123"),
        (999.96, "1,000"),
        (9.9996, "10.00"),
        (0, "0"),
        (-12.3456, "-12.35"),
        (math.inf, "inf"),
    ],
)
def test_numbers(value: float, text: str) -> None:
    assert units.format_number(value) == text


def test_formats_pick_the_unit_that_reads_best() -> None:
    assert [units.format_time_ms(x) for x in (42e-6, 0.00412, 7.5, 999, 1250, 750e3)] == [
        "42 ns",
        "4.12 µs",
        "7.5 ms",
        "999 ms",
        "1.25 s",
        "12.5 min",
    ]
    assert [units.format_bytes(x) for x in (512, 512 * 2**20, 1.25 * 2**30, 3 * 2**40)] == [
        "512 B",
        "512 MiB",
        "1.25 GiB",
        "3 TiB",
    ]
    assert [units.format_rate(x) for x in (20666.4, 4.125)] == ["20,666", "4.125"]


@given(st.floats(1e-9, 1e12))
def test_a_formatted_number_is_within_half_a_digit(value: float) -> None:
    assert math.isclose(float(units.format_number(value).replace(",", "")), value, rel_tol=5.1e-4)


@pytest.mark.parametrize(("time_s", "text"), [(1.5, "1.5 s"), (750, "12.5 min"), (264_000, "73.3 h")])
def test_durations_are_told_in_the_unit_that_reads_best(time_s: float, text: str) -> None:
    assert units.format_duration(time_s) == text


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 I/Os"), (1, "1 I/O"), (2, "2 I/Os"), (20_666, "20,666 I/Os")]
)
def test_one_thing_is_no_plural(number: int, text: str) -> None:
    assert units.counted(number, "I/O") == text


def test_dates_are_utc() -> None:
    assert units.date_text(0.0) == "1970-01-01 00:00 UTC"
