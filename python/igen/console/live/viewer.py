"""One who looks: a short queue of messages, and dropped when they do not keep up."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import NamedTuple

from igen.console.live.position import Position

MOST_WAITING = 64
"""Whoever has not taken so many messages is dropped, and comes back by the place where they were."""


class Message(NamedTuple):
    """A line of JSON for browsers, the same bytes for all of them."""

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
        """It does not keep up, or nothing more will come."""

    def put(self, message: Message) -> None:
        """Never waits."""
        if len(self._waiting) >= MOST_WAITING:
            self.drop()
        elif not self.is_dropped:
            self._waiting.append(message)
            self._woken.set()

    def drop(self) -> None:
        """Ends its stream."""
        self.is_dropped = True
        self._waiting.clear()
        self._woken.set()

    async def take(self, patience_s: float) -> list[Message]:
        """All that waits; nothing after `patience_s` or when it was dropped."""
        if not self._waiting and not self.is_dropped:
            try:
                await asyncio.wait_for(self._woken.wait(), patience_s)
            except TimeoutError:
                return []
        found = list(self._waiting)
        self._waiting.clear()
        self._woken.clear()
        return found
