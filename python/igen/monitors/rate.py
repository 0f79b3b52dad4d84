"""How much another machine may say."""

from __future__ import annotations

from igen.monitors.said import NotRead

MOST_LINES_PER_S = 10_000
"""Twice what a machine with 500 processors says at ten readings a second."""
HELD_BACK_S = 5.0
"""Lines of so long may come at once: a network held them back."""


class LineRate:
    """Ends the session of a machine that says so much that reading it would hold up the load's own agent."""

    def __init__(self) -> None:
        self._paid_until_s = 0.0
        """Until then lines at the highest rate would have taken."""

    def take(self, lines: int, now_s: float) -> None:
        """Lines that were heard. Raises `NotRead`."""
        self._paid_until_s = max(self._paid_until_s, now_s) + lines / MOST_LINES_PER_S
        if self._paid_until_s - now_s > HELD_BACK_S:
            raise NotRead(f"it says more than {MOST_LINES_PER_S:,} lines a second")
