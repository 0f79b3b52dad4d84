"""One clock for several machines: the offset of another one's clock, measured by round trips."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

KEPT = 32
"""Round trips that are remembered."""
DRIFT = 5e-4
"""Two clocks go apart by this share of the time at most: so fast NTP slews one of them, 500 ppm."""


class Offset(NamedTuple):
    """How another clock stands to the one here."""

    ahead_s: float
    """How far it is ahead of the one here."""
    error_s: float
    """By how much that may be wrong, in either direction."""


class _Trip(NamedTuple):
    sent_s: float
    half_s: float
    ahead_s: float
    """By the middle of it."""


class ClockOffset:
    """A question is sent, the clock there is read, the answer is heard: the reading was somewhere between.

    So of a round trip its middle is wrong by half of it at most, whatever its two ways took: Cristian,
    "Probabilistic clock synchronization", 1989. Since then the clocks have gone apart by `DRIFT`; of the last
    round trips the one counts that is wrong by least now.
    """

    def __init__(self) -> None:
        self._trips: deque[_Trip] = deque(maxlen=KEPT)

    def add(self, sent_s: float, heard_s: float, there_s: float) -> None:
        """A round trip by the clock here, and what the clock there said in it."""
        half_s = max(heard_s - sent_s, 0.0) / 2
        self._trips.append(_Trip(sent_s, half_s, there_s - sent_s - half_s))

    @property
    def is_known(self) -> bool:
        """Whether there was a round trip."""
        return bool(self._trips)

    def at(self, now_s: float) -> Offset:
        """What is known of it then, by the clock here."""
        # The clock there was read after the question was sent: the age is at most the time since then.
        error_s, ahead_s = min(
            (t.half_s + DRIFT * max(now_s - t.sent_s, 0.0), t.ahead_s) for t in self._trips
        )
        return Offset(ahead_s, error_s)
