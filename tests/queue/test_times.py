from __future__ import annotations

from datetime import datetime, timedelta, timezone
from time import tzset

import pytest
from hypothesis import given
from hypothesis import strategies as st

from igen.errors import InputError
from igen.queue.times import next_time, parse_at, parse_every_s

NOW = datetime(2026, 11, 23, 12, 30, tzinfo=timezone(timedelta(hours=1)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("13:00", datetime(2026, 11, 23, 13, tzinfo=NOW.tzinfo)),
        ("12:30", datetime(2026, 11, 24, 12, 30, tzinfo=NOW.tzinfo)),
        ("02:00", datetime(2026, 11, 24, 2, tzinfo=NOW.tzinfo)),
        ("2026-12-01 02:00", datetime(2026, 12, 1, 2, tzinfo=NOW.tzinfo)),
        ("2026-12-01T02:00+00:00", datetime(2026, 12, 1, 3, tzinfo=NOW.tzinfo)),
        ("12:00Z", datetime(2026, 11, 23, 13, tzinfo=NOW.tzinfo)),
        ("11:00Z", datetime(2026, 11, 24, 12, tzinfo=NOW.tzinfo)),
        ("00:30+05:00", datetime(2026, 11, 23, 20, 30, tzinfo=NOW.tzinfo)),
    ],
)
def test_a_time_of_day_is_the_next_one(text: str, expected: datetime) -> None:
    assert parse_at(text, NOW) == expected.timestamp()


@pytest.mark.parametrize(
    "text", ["", "noon", "25:00", "2026-11-23 12:29", "2026-13-01", "1e9", "0001-01-01", "2026"]
)
def test_what_is_no_time_to_come_is_refused(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_at(text, NOW)
    assert caught.value.where == "--at"
    assert "02:00" in caught.value.hint


@pytest.mark.parametrize(("day", "hours"), [("2026-03-28", 23), ("2026-10-24", 25), ("2026-11-22", 24)])
def test_a_day_on_which_the_clocks_change_is_as_long_as_it_is(
    day: str, hours: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    tzset()
    try:
        now = datetime.fromisoformat(f"{day} 12:00")
        assert parse_at("12:00", now) == now.timestamp() + 3600 * hours
    finally:
        monkeypatch.undo()
        tzset()


@pytest.mark.parametrize(
    ("text", "now", "expected"),
    [
        # Clocks are put back from 03:00 (01:00 UTC) to 02:00: the hour comes twice, the next one is meant.
        ("02:45", "2026-10-25 00:40+00:00", "2026-10-25 00:45+00:00"),
        ("02:45", "2026-10-25 00:50+00:00", "2026-10-25 01:45+00:00"),
        ("02:45", "2026-10-25 01:40+00:00", "2026-10-25 01:45+00:00"),
        ("02:45", "2026-10-25 01:50+00:00", "2026-10-26 01:45+00:00"),
        ("2026-10-25 02:45", "2026-10-25 01:40+00:00", "2026-10-25 01:45+00:00"),
        # Put forward from 02:00 (01:00 UTC) to 03:00: 02:45 is not shown that day.
        ("02:45", "2026-03-29 00:50+00:00", "2026-03-29 01:45+00:00"),
        ("02:45", "2026-03-29 01:50+00:00", "2026-03-30 00:45+00:00"),
    ],
)
def test_a_time_that_clocks_show_twice_or_never_is_the_next_one(
    text: str, now: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    tzset()
    try:
        here = datetime.fromtimestamp(datetime.fromisoformat(now).timestamp())
        assert parse_at(text, here) == datetime.fromisoformat(expected).timestamp()
    finally:
        monkeypatch.undo()
        tzset()


def test_every_is_a_time_with_its_unit() -> None:
    assert parse_every_s("1d") == 86400
    assert parse_every_s("90min") == 5400
    for text in ("", "1", "0s", "10ms", "often"):
        with pytest.raises(InputError) as caught:
            parse_every_s(text)
        assert caught.value.where == "--every"


@given(st.floats(0, 1e10), st.floats(1, 1e6), st.floats(-1e6, 1e9))
def test_the_next_time_is_the_first_multiple_that_is_later(base: float, every: float, passed: float) -> None:
    found = next_time(base, every, base + passed)
    assert found > base + passed - 1e-3
    assert found <= max(base, base + passed) + every + 1e-3
    periods = (found - base) / every
    assert periods == pytest.approx(round(periods), abs=1e-3)
