"""Ctrl-C, `kill` and a closed terminal as a count and a descriptor, so that none strikes in the middle."""

from __future__ import annotations

import os
import signal
from types import FrameType
from typing import Any, Self


class Interrupts:
    """While entered, SIGINT, SIGTERM and SIGHUP only add to `count` and make `descriptor` readable.

    SIGHUP stays ignored where it is, as under `nohup`.
    """

    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> Self:
        self.descriptor, self._wake = os.pipe()
        os.set_blocking(self.descriptor, False)
        os.set_blocking(self._wake, False)
        # Written to wherever the signal arrives: a thread that waits is woken only by signals of its own.
        self._woken_before = signal.set_wakeup_fd(self._wake, warn_on_full_buffer=False)
        signals = [signal.SIGINT, signal.SIGTERM]
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
            signals.append(signal.SIGHUP)
        self._before: dict[signal.Signals, Any] = {
            each: signal.signal(each, self._caught) for each in signals
        }
        return self

    def _caught(self, _number: int, _frame: FrameType | None) -> None:
        self.count += 1

    def clear(self) -> None:
        """Makes the descriptor unreadable until the next signal."""
        try:
            os.read(self.descriptor, 4096)
        except BlockingIOError:
            return

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._woken_before)
        os.close(self.descriptor)
        os.close(self._wake)
