"""The offset of another clock: the truth is always within the bound, whatever a network does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from igen.monitors.clock import KEPT, ClockOffset

delays = st.floats(0.0, 5.0)
trips = st.lists(st.tuples(delays, delays), min_size=1, max_size=2 * KEPT)


@given(ahead_s=st.floats(-1e6, 1e6), ways=trips)
def test_the_truth_is_within_the_bound(ahead_s: float, ways: list[tuple[float, float]]) -> None:
    offset = ClockOffset()
    now_s = 1000.0
    for there_s, back_s in ways:
        read_s = now_s + there_s
        offset.add(now_s, read_s + back_s, read_s + ahead_s)
        now_s = read_s + back_s + 0.1
    assert abs(offset.ahead_s - ahead_s) <= offset.error_s + 1e-6
    assert offset.error_s <= min(sum(way) for way in ways[-KEPT:]) / 2 + 1e-9
    assert offset.here_s(now_s + ahead_s) == pytest.approx(now_s, abs=offset.error_s + 1e-6)


def test_the_fastest_round_trip_says_it_and_old_ones_are_forgotten() -> None:
    offset = ClockOffset()
    assert not offset.is_known
    offset.add(10.0, 10.002, 60.001)
    offset.add(20.0, 20.400, 70.399)
    assert offset.is_known
    assert offset.ahead_s == pytest.approx(50.0)
    assert offset.error_s == pytest.approx(0.001)
    for _ in range(KEPT):
        offset.add(30.0, 30.01, 80.105)
    assert offset.ahead_s == pytest.approx(50.1), "the clock there has drifted since"
    assert offset.error_s == pytest.approx(0.005)
