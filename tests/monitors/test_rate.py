"""How much a machine may say."""

from __future__ import annotations

import pytest

from igen.monitors.rate import HELD_BACK_S, MOST_LINES_PER_S, LineRate
from igen.monitors.said import NotRead


def test_the_highest_rate_may_go_on_forever() -> None:
    rate = LineRate()
    for second in range(1000):
        rate.take(MOST_LINES_PER_S, 5000.0 + second)


def test_what_a_network_held_back_may_come_at_once() -> None:
    rate = LineRate()
    rate.take(int(MOST_LINES_PER_S * HELD_BACK_S), 5000.0)
    rate.take(MOST_LINES_PER_S, 5001.0)
    with pytest.raises(NotRead, match=r"^it says more than 10,000 lines a second$"):
        rate.take(1, 5001.0)


def test_a_little_more_than_that_for_long_is_too_much() -> None:
    rate = LineRate()

    def say(seconds: int) -> None:
        for second in range(seconds):
            rate.take(MOST_LINES_PER_S + 100, 5000.0 + second)

    with pytest.raises(NotRead):
        say(1000)
