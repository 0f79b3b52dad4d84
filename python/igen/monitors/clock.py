"""One clock for several machines: the offset of another one's clock, measured by round trips."""

from __future__ import annotations

from collections import deque

KEPT = 32
"""Round trips that are remembered: a clock that drifts by 10 ppm is 3 ms away after five minutes."""


class ClockOffset:
    """A question is sent, the clock there is read, the answer is heard: the reading was somewhere between.

    So of a round trip its middle is wrong by half of it at most, whatever its two ways took, and the fastest
    of the last round trips says it best: Cristian, "Probabilistic clock synchronization", 1989.
    """

    def __init__(self) -> None:
        self._trips: deque[tuple[float, float]] = deque(maxlen=KEPT)
        """Half of each round trip, and the offset by its middle."""

    def add(self, sent_s: float, heard_s: float, there_s: float) -> None:
        """A round trip by the clock here, and what the clock there said in it."""
        half_s = max(heard_s - sent_s, 0.0) / 2
        self._trips.append((half_s, there_s - sent_s - half_s))

    @property
    def is_known(self) -> bool:
        """Whether there was a round trip."""
        return bool(self._trips)

    @property
    def ahead_s(self) -> float:
        """How far the clock there is ahead of the one here."""
        return min(self._trips)[1]

    @property
    def error_s(self) -> float:
        """By how much that may be wrong, in either direction."""
        return min(self._trips)[0]

    def here_s(self, there_s: float) -> float:
        """A time there on the clock here."""
        return there_s - self.ahead_s
