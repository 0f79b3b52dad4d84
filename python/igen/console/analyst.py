"""What takes time, in a process of its own: results and their pages.

It is nice to all others, so that a measurement on the same machine is served first, and does nothing unless
asked. What it made of runs that have ended is kept for the next one who asks.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from igen.errors import IgenError

Answer = TypeVar("Answer")
NICE = 19
MOST_KEPT = 64


def _begin() -> None:
    """Ctrl-C is for the console alone, which is never outlived, however it ends."""
    import signal
    import threading

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(NICE)
    threading.Thread(target=_end_with_the_console, daemon=True).start()


def _end_with_the_console() -> None:
    console = multiprocessing.parent_process()
    if console is not None:
        console.join()
        os._exit(0)


class Analyst:
    """One process, which is started when first asked, and again where it was killed."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()

    async def ask(self, work: Callable[..., Answer], *arguments: Any, key: Hashable = None) -> Answer:
        """What `work` returns there; kept under a `key` that is not None. Raises its `IgenError`."""
        if key is not None and key in self._kept:
            self._kept.move_to_end(key)
            kept: Answer = self._kept[key]
            return kept
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(max_workers=1, mp_context=context, initializer=_begin)
        try:
            found = await asyncio.get_running_loop().run_in_executor(self._pool, _told, work, arguments)
        except BrokenProcessPool as error:
            self._pool = None
            raise IgenError("the analysis was killed", hint="ask again; memory may be short") from error
        if isinstance(found, IgenError):
            raise found
        if key is not None:
            self._kept[key] = found
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        answer: Answer = found
        return answer

    def close(self) -> None:
        """Ends the process."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None


def _told(work: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """An error of ours is a value: as an exception it would lose its hint on the way."""
    try:
        return work(*arguments)
    except IgenError as error:
        told = type(error)(error.text)
        told.where, told.hint = error.where, error.hint
        told.__cause__ = None
        return told
