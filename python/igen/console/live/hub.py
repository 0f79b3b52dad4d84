"""The watched runs: a tailer each, until shortly after the last viewer has left."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from igen.console.live.levels_done import Ask
from igen.console.live.tailer import POLL_S, Tailer
from igen.console.live.viewer import Viewer
from igen.errors import InputError
from igen.store.catalog import is_run_folder

LINGER_S = 10.0
"""Time that a tailer stays: a page that is reloaded finds its tailer."""
_RUN = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,199}")


class Hub:
    """Belongs to one event loop."""

    def __init__(self, store: Path, ask: Ask, poll_s: float = POLL_S) -> None:
        """`ask` judges levels. `poll_s` is the time between two looks at the files of a run."""
        self._loop = asyncio.get_running_loop()
        self._poll_s = poll_s
        self._store = store
        self._ask = ask
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
                self._loop.call_later(LINGER_S, self._leave, run, tailer)

    @asynccontextmanager
    async def viewer(self, runs: list[str]) -> AsyncIterator[tuple[Viewer, dict[str, Tailer]]]:
        """Return a viewer of these runs, which the caller attaches to their tailers."""
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
        """End every stream and tailer with the console; the runs continue."""
        self.is_stopping = True
        for viewer in list(self._viewers):
            viewer.drop()
        for task in list(self._tasks.values()):
            task.cancel()

    def stop_soon(self) -> None:
        """Close the hub from a signal handler or from another thread."""
        self._loop.call_soon_threadsafe(self.stop)

    def require(self, run: str) -> None:
        """Return the tailer of a run. Raises `InputError` if there is no such run."""
        if not _RUN.fullmatch(run) or not is_run_folder(self._store / run):
            raise InputError(f"no run `{run[:80]}` in {self._store}", hint="it may have been removed")

    def _begin(self, run: str) -> Tailer:
        self.require(run)
        tailer = Tailer(self._store / run, self._ask, self._poll_s)
        self._tailers[run] = tailer
        task = self._loop.create_task(tailer.follow(), name=f"tailer of {run}")
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
