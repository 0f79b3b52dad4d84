"""A viewer: a short queue of messages; a slow viewer is dropped."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import NamedTuple

from igen.console.live.position import Position

MOST_WAITING = 64
"""Most waiting messages of a viewer: a slow viewer is dropped and reconnects at its position."""


class Message(NamedTuple):
    """A line of JSON, the same for all browsers."""

    run: str
    data: bytes
    place: Position | None = None
    """Behind what it tells of; None for what can be told again at any time."""


class Viewer:
    """Waits for messages of one or several runs."""

    def __init__(self) -> None:
        self._waiting: deque[Message] = deque()
        self._woken = asyncio.Event()
        self.is_dropped = False
        """True if it is too slow, or the run has ended."""

    def put(self, message: Message) -> None:
        """Never waits."""
        if len(self._waiting) >= MOST_WAITING:
            self.drop()
        elif not self.is_dropped:
            self._waiting.append(message)
            self._woken.set()

    def drop(self) -> None:
        """End its stream."""
        self.is_dropped = True
        self._waiting.clear()
        self._woken.set()

    async def take(self, patience_s: float) -> list[Message]:
        """Return waiting messages; nothing after `patience_s` or if it was dropped."""
        if not self._waiting and not self.is_dropped:
            try:
                await asyncio.wait_for(self._woken.wait(), patience_s)
            except TimeoutError:
                return []
        found = list(self._waiting)
        self._waiting.clear()
        self._woken.clear()
        return found
