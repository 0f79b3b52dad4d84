"""What takes time, in a process of its own: results and their pages, scenarios of recordings.

It is nice to all others, so that a measurement on the same machine is served first, does nothing unless
asked, and ends when nobody has asked for a while, for it gives no memory back before. What it made of
runs that have ended is kept for the next one who asks.
"""

from __future__ import annotations

import asyncio
import math
import multiprocessing
import os
import signal
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from igen.console.too_much import TookTooLong
from igen.errors import IgenError

Answer = TypeVar("Answer")
NICE = 19
MOST_KEPT = 64
REST_S = 10.0
"""Idle time before the process ends: a new start costs half a second."""
GRACE_S = 5
"""Delay after which the kernel ends an overdue analysis if the console is gone."""


def _begin(lifeline: Connection) -> None:
    """Ctrl-C is for the console alone. With that this process ends, however that ends.

    Work that lets no other thread run goes on where the console is killed: to its limit, or its end.
    """
    import threading

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    os.nice(NICE)
    threading.Thread(target=_end_with_the_console, args=(lifeline,), daemon=True).start()


def _end_with_the_console(lifeline: Connection) -> None:
    """Wait until the other end is closed, by the console or by its death."""
    with suppress(EOFError, OSError):
        lifeline.recv()
    os._exit(0)


class Analyst:
    """A process that is started on demand, and again if it was killed or has ended."""

    def __init__(self, rest_s: float = REST_S) -> None:
        """Prepare a process that ends after `rest_s` without a question."""
        self._rest_s = rest_s
        self._asked = self._under_way = 0
        self._pool: ProcessPoolExecutor | None = None
        self._lifeline: Connection | None = None
        self._process: int | None = None
        """Return its descriptor, which never refers to another process."""
        self._is_over = False
        self._turn = asyncio.Lock()
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()

    def has(self, key: Hashable) -> bool:
        """Return True if the answer is cached."""
        return key in self._kept

    async def ask(
        self, work: Callable[..., Answer], *arguments: Any, key: Hashable = None, limit_s: float = 0.0
    ) -> Answer:
        """What `work` returns there; kept under a `key` that is not None. Raises its `IgenError`.

        The kernel ends the process a little after `limit_s`, if not 0, also where the console has ended.
        """
        if key is not None and key in self._kept:
            self._kept.move_to_end(key)
            kept: Answer = self._kept[key]
            return kept
        if self._is_over:
            raise _console_ends()
        pool = self._pool or self._started()
        loop = asyncio.get_running_loop()
        alarm_s = math.ceil(limit_s) + GRACE_S if limit_s else 0
        self._under_way += 1
        try:
            found = await loop.run_in_executor(pool, _told, work, arguments, alarm_s)
        except BrokenProcessPool as error:
            # Another one may have been started meanwhile.
            if self._pool is pool:
                self.close()
            if self._is_over:
                raise _console_ends() from error
            raise IgenError(
                "the analysis process was killed", hint="retry; the machine may be short of memory"
            ) from error
        except asyncio.CancelledError as error:
            # What waits its turn in the pool is cancelled with that; who asks may be cancelled at any time.
            if self._is_over:
                raise _console_ends() from error
            raise
        finally:
            self._under_way -= 1
            self._asked += 1
            loop.call_later(self._rest_s, self._rest, self._asked)
        if isinstance(found, IgenError):
            raise found
        if key is not None:
            self._kept[key] = found
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        answer: Answer = found
        return answer

    async def ask_within(self, limit_s: float, work: Callable[..., Answer], *arguments: Any) -> Answer:
        """The same for work that may take for ever: one at a time, each for `limit_s` at most.

        Raises `TookTooLong`; the process is killed then, with all that others have asked of it.
        """
        async with self._turn:
            try:
                return await asyncio.wait_for(self.ask(work, *arguments, limit_s=limit_s), limit_s)
            except TimeoutError:
                self.close()
                raise TookTooLong(f"stopped because it took longer than {limit_s:g} s") from None

    def _started(self) -> ProcessPoolExecutor:
        context = multiprocessing.get_context("spawn")
        end, self._lifeline = context.Pipe(duplex=False)
        self._pool = ProcessPoolExecutor(1, context, _begin, (end,))
        others = multiprocessing.active_children()
        # A process that begins does not ignore Ctrl-C yet.
        masked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self._pool.submit(os.getpid)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, masked)
        begun = (each for each in multiprocessing.active_children() if each not in others)
        if (process := next(begun, None)) is not None and process.pid is not None:
            with suppress(ProcessLookupError):
                self._process = os.pidfd_open(process.pid)
        return self._pool

    def _rest(self, asked: int) -> None:
        """End the process, unless a question has arrived since."""
        if asked == self._asked and not self._under_way:
            self.close()

    def end(self) -> None:
        """End the process for good: pending and later questions fail."""
        self._is_over = True
        self.close()

    def close(self) -> None:
        """End the process, whatever it does."""
        # An expression that matches for ever lets no other thread of that process see its lifeline.
        if self._process is not None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._process, signal.SIGKILL)
            os.close(self._process)
            self._process = None
        if self._lifeline is not None:
            self._lifeline.close()
            self._lifeline = None
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None


def _console_ends() -> IgenError:
    return IgenError("the console is shutting down", hint="retry when it is running again")


def _told(work: Callable[..., Any], arguments: tuple[Any, ...], alarm_s: int) -> Any:
    """Return its result. An iGen error is a value: as an exception it would lose its hint."""
    # The kernel keeps the limit, for which no thread of this process need have its turn.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    if alarm_s:
        signal.alarm(alarm_s)
    try:
        found = work(*arguments)
    except IgenError as error:
        found = type(error)(error.text)
        found.where, found.hint = error.where, error.hint
        found.__cause__ = None
    finally:
        signal.alarm(0)
    return found
