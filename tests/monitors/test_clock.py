"""The offset of another clock: the truth is always within the bound, whatever a network and the clock do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from igen.monitors.clock import DRIFT, KEPT, ClockOffset

delays = st.floats(0.0, 5.0)
trips = st.lists(st.tuples(delays, delays, st.floats(0.0, 600.0)), min_size=1, max_size=2 * KEPT)


@given(
    ahead_s=st.floats(-1e6, 1e6), drift=st.floats(-DRIFT, DRIFT), ways=trips, later_s=st.floats(0.0, 3600.0)
)
def test_the_truth_is_within_the_bound_of_a_clock_that_drifts(
    ahead_s: float, drift: float, ways: list[tuple[float, float, float]], later_s: float
) -> None:
    begin_s = now_s = 1000.0

    def truly_ahead_s(when_s: float) -> float:
        return ahead_s + drift * (when_s - begin_s)

    offset = ClockOffset()
    heard = []
    for there_s, back_s, pause_s in ways:
        read_s = now_s + there_s
        offset.add(now_s, read_s + back_s, read_s + truly_ahead_s(read_s))
        heard.append((now_s, there_s + back_s))
        now_s = read_s + back_s + pause_s
    now_s += later_s
    known = offset.at(now_s)
    assert abs(known.ahead_s - truly_ahead_s(now_s)) <= known.error_s + 1e-6
    best_s = min(length_s / 2 + DRIFT * (now_s - sent_s) for sent_s, length_s in heard[-KEPT:])
    assert known.error_s == pytest.approx(best_s, abs=1e-6), "and no wider than it must be"


def test_the_fastest_round_trip_says_it_until_a_newer_one_is_wrong_by_less() -> None:
    offset = ClockOffset()
    assert not offset.is_known
    offset.add(10.0, 10.002, 60.001)
    offset.add(20.0, 20.400, 70.399)
    assert offset.is_known
    ahead_s, error_s = offset.at(20.4)
    assert ahead_s == pytest.approx(50.0)
    assert error_s == pytest.approx(0.001 + DRIFT * 10.4)
    offset.add(120.0, 120.010, 170.105)
    ahead_s, error_s = offset.at(120.01)
    assert ahead_s == pytest.approx(50.1), "the clock there has drifted since"
    assert error_s == pytest.approx(0.005 + DRIFT * 0.01), "0.055 s by the first one"
