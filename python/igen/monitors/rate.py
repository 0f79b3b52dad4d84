"""How much another machine may say."""

from __future__ import annotations

from igen.monitors.said import NotRead

MOST_LINES_PER_S = 10_000
"""Twice what a machine with 500 processors says at ten readings a second."""
MOST_BYTES_PER_S = 8 << 20
"""Several times what such a machine says."""
HELD_BACK_S = 5.0
"""What is said in so long may come at once: a network held it back."""


class Rate:
    """Ends the session of a machine that says so much that reading it would hold up the load's own agent."""

    def __init__(self) -> None:
        self._lines_until_s = self._bytes_until_s = 0.0
        """Until then what was said would have taken, at the highest rate."""

    def take(self, lines: int, size_bytes: int, now_s: float) -> None:
        """Lines that were heard, and the bytes of them and of unfinished ones. Raises `NotRead`."""
        self._lines_until_s = max(self._lines_until_s, now_s) + lines / MOST_LINES_PER_S
        self._bytes_until_s = max(self._bytes_until_s, now_s) + size_bytes / MOST_BYTES_PER_S
        if self._lines_until_s - now_s > HELD_BACK_S:
            raise NotRead(f"it says more than {MOST_LINES_PER_S:,} lines a second")
        if self._bytes_until_s - now_s > HELD_BACK_S:
            raise NotRead(f"it says more than {MOST_BYTES_PER_S >> 20} MiB a second")
