"""Ctrl-C, `kill` and a closed terminal as a count and a descriptor, which interrupt nothing halfway."""

from __future__ import annotations

import os
import signal
from types import FrameType
from typing import Any, Self


def interrupting_signals() -> list[signal.Signals]:
    """Return the signals that ask this process to stop; without SIGHUP if it is ignored, as under `nohup`."""
    signals = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
    return [each for each in signals if each != signal.SIGHUP or signal.getsignal(each) != signal.SIG_IGN]


def interrupted_by_any() -> None:
    """Make SIGTERM and SIGHUP raise `KeyboardInterrupt` in this process, as Ctrl-C does."""
    for each in interrupting_signals():
        if signal.getsignal(each) == signal.SIG_DFL:
            signal.signal(each, signal.default_int_handler)


class Interrupts:
    """While entered, SIGINT, SIGTERM and SIGHUP only add to `count` and make `descriptor` readable.

    A signal is not lost if it comes after the last look at `count`: leaving raises `KeyboardInterrupt` then.
    """

    def __init__(self) -> None:
        self._count = 0
        self._seen = False

    @property
    def count(self) -> int:
        """Number of signals so far; the caller has to act on them."""
        self._seen = self._count > 0
        return self._count

    def __enter__(self) -> Self:
        self.descriptor, self._wake = os.pipe()
        os.set_blocking(self.descriptor, False)
        os.set_blocking(self._wake, False)
        # Written to wherever the signal arrives: a thread that waits is woken only by signals of its own.
        self._woken_before = signal.set_wakeup_fd(self._wake, warn_on_full_buffer=False)
        self._before: dict[signal.Signals, Any] = {
            each: signal.getsignal(each) for each in interrupting_signals()
        }
        try:
            for each in self._before:
                signal.signal(each, self._caught)
        except BaseException:
            self._leave()
            raise
        return self

    def _caught(self, _number: int, _frame: FrameType | None) -> None:
        self._count += 1

    def clear(self) -> None:
        """Make the descriptor unreadable until the next signal."""
        try:
            os.read(self.descriptor, 4096)
        except BlockingIOError:
            return

    def __exit__(self, *_: object) -> None:
        self._leave()
        if self._count and not self._seen:
            raise KeyboardInterrupt

    def _leave(self) -> None:
        try:
            for number, handler in self._before.items():
                signal.signal(number, handler)
        finally:
            signal.set_wakeup_fd(self._woken_before)
            os.close(self.descriptor)
            os.close(self._wake)
