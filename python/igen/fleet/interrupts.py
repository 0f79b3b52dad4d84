"""Ctrl-C and `kill` as a count and a descriptor to wait for, so that they never strike in the middle."""

from __future__ import annotations

import os
import signal
from types import FrameType
from typing import Any, Self

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """While entered, SIGINT and SIGTERM only add to `count` and make `descriptor` readable."""

    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> Self:
        self.descriptor, self._wake = os.pipe()
        os.set_blocking(self.descriptor, False)
        os.set_blocking(self._wake, False)
        self._before: dict[signal.Signals, Any] = {s: signal.signal(s, self._caught) for s in _SIGNALS}
        return self

    def _caught(self, _number: int, _frame: FrameType | None) -> None:
        self.count += 1
        os.write(self._wake, b"!")

    def clear(self) -> None:
        """Makes the descriptor unreadable until the next signal."""
        try:
            os.read(self.descriptor, 4096)
        except BlockingIOError:
            return

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        os.close(self.descriptor)
        os.close(self._wake)
