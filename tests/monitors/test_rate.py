"""How much a machine may say."""

from __future__ import annotations

import pytest

from igen.monitors.rate import HELD_BACK_S, MOST_BYTES_PER_S, MOST_LINES_PER_S, Rate
from igen.monitors.said import NotRead

HIGHEST = pytest.mark.parametrize(
    ("lines", "size_bytes", "why"),
    [
        (MOST_LINES_PER_S, 1, "10,000 lines"),
        (1, MOST_BYTES_PER_S, "8 MiB"),
    ],
)


@HIGHEST
def test_the_highest_rate_may_go_on_forever(lines: int, size_bytes: int, why: str) -> None:
    rate = Rate()
    for second in range(1000):
        rate.take(lines, size_bytes, 5000.0 + second)


@HIGHEST
def test_what_a_network_held_back_may_come_at_once(lines: int, size_bytes: int, why: str) -> None:
    rate = Rate()
    rate.take(int(lines * HELD_BACK_S), int(size_bytes * HELD_BACK_S), 5000.0)
    rate.take(lines, size_bytes, 5001.0)
    with pytest.raises(NotRead, match=rf"^it says more than {why} a second$"):
        rate.take(lines // 100 + 1, size_bytes // 100 + 1, 5001.0)


@HIGHEST
def test_a_little_more_than_that_for_long_is_too_much(lines: int, size_bytes: int, why: str) -> None:
    rate = Rate()

    def say(seconds: int) -> None:
        for second in range(seconds):
            rate.take(lines + lines // 100, size_bytes + size_bytes // 100, 5000.0 + second)

    with pytest.raises(NotRead, match=why):
        say(1000)
