"""The runs that are watched now: one tailer each, as long as somebody looks and a little longer."""

from __future__ import annotations

import asyncio
import multiprocessing
import re
from collections.abc import AsyncIterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from igen.console.live.levels_done import at_lowest_priority
from igen.console.live.tailer import POLL_S, Tailer
from igen.console.live.viewer import Viewer
from igen.errors import InputError
from igen.store.catalog import is_run_folder

LINGER_S = 10.0
"""A page that is loaded again finds its tailer: nothing is read twice."""
_RUN = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,199}")


class Hub:
    """Belongs to one event loop."""

    def __init__(self, store: Path, executor: Executor | None = None, poll_s: float = POLL_S) -> None:
        """`executor` judges levels; without one a process is started when the first is to be judged. `poll_s`
        is the time between two looks at the files of a run.
        """
        self._poll_s = poll_s
        self._store = store
        self._executor = executor
        self._own: ProcessPoolExecutor | None = None
        self._tailers: dict[str, Tailer] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._watchers: dict[str, int] = {}
        self._viewers: set[Viewer] = set()
        self.is_stopping = False

    @asynccontextmanager
    async def tailer(self, run: str) -> AsyncIterator[Tailer]:
        """The tailer of a run, with all read that was there at first. Raises `InputError` where there is no
        such run.
        """
        tailer = self._tailers.get(run) or self._begin(run)
        self._watchers[run] = self._watchers.get(run, 0) + 1
        try:
            await tailer.ready.wait()
            yield tailer
        finally:
            self._watchers[run] -= 1
            if not self._watchers[run]:
                del self._watchers[run]
            if run not in self._watchers and not self.is_stopping:
                asyncio.get_running_loop().call_later(LINGER_S, self._leave, run, tailer)

    @asynccontextmanager
    async def viewer(self, runs: list[str]) -> AsyncIterator[tuple[Viewer, dict[str, Tailer]]]:
        """One who looks at these runs: the caller attaches it to their tailers."""
        viewer = Viewer()
        async with AsyncExitStack() as stack:
            tailers = {run: await stack.enter_async_context(self.tailer(run)) for run in runs}
            self._viewers.add(viewer)
            try:
                yield viewer, tailers
            finally:
                self._viewers.discard(viewer)
                for tailer in tailers.values():
                    tailer.detach(viewer)

    def stop(self) -> None:
        """Ends every stream and tailer: the console ends, the runs go on."""
        self.is_stopping = True
        for viewer in list(self._viewers):
            viewer.drop()
        for task in list(self._tasks.values()):
            task.cancel()
        if self._own is not None:
            self._own.shutdown(wait=False, cancel_futures=True)

    def require(self, run: str) -> None:
        """Raises `InputError` where there is no such run."""
        if not _RUN.fullmatch(run) or not is_run_folder(self._store / run):
            raise InputError(f"no run `{run[:80]}` in {self._store}", hint="it may have been removed")

    def _begin(self, run: str) -> Tailer:
        self.require(run)
        tailer = Tailer(self._store / run, self._judge(), self._poll_s)
        self._tailers[run] = tailer
        task = asyncio.get_running_loop().create_task(tailer.follow(), name=f"tailer of {run}")
        task.add_done_callback(lambda _: None if tailer.is_over else self._forget(run, tailer))
        self._tasks[run] = task
        return tailer

    def _leave(self, run: str, tailer: Tailer) -> None:
        if self._tailers.get(run) is tailer and not self._watchers.get(run):
            self._tasks[run].cancel()
            self._forget(run, tailer)

    def _forget(self, run: str, tailer: Tailer) -> None:
        if self._tailers.get(run) is tailer:
            del self._tailers[run], self._tasks[run]

    def _judge(self) -> Executor:
        if self._executor is not None:
            return self._executor
        if self._own is None:
            # Not a fork: the console has threads, and an event loop with open streams.
            context = multiprocessing.get_context("spawn")
            self._own = ProcessPoolExecutor(1, mp_context=context, initializer=at_lowest_priority)
        return self._own
