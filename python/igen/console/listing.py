"""The list of runs, page by page: fast even if reading all folders takes long."""

from __future__ import annotations

import math
import os
import time
from itertools import islice
from pathlib import Path

from starlette.concurrency import run_in_threadpool

from igen.console.analysis import judge_for_catalog
from igen.console.state import Console
from igen.errors import IgenError
from igen.store.active import active_runs
from igen.store.catalog import CatalogPage, CatalogRow, list_runs

QUICK_S = 0.15
"""A store that is read faster than this is read for each page."""
LOOK_EVERY_S = 5.0
LARGE = 2_000
"""A store with more runs is not read before its first page."""
ENDED = ("complete", "interrupted", "failed", "cut off")


class Listing:
    """Queries the catalog, and updates it in the background if the store is large."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._took_s = 0.0
        self._looked_s = -math.inf

    async def page(self, search: str, offset: int, most: int) -> CatalogPage:
        """Return a page of the runs that match a search. Raises `InputError`, `IgenError`."""
        if not math.isfinite(self._looked_s) and await run_in_threadpool(_is_large, self._console.folder):
            self._took_s = math.inf
        fresh = self._took_s < QUICK_S
        store, begun_s = self._console.store, time.monotonic()
        found = await run_in_threadpool(store.find_runs, search, offset=offset, most=most, fresh=fresh)
        if fresh:
            self._took_s = time.monotonic() - begun_s
            self._looked_s = time.monotonic()
        return found

    async def look(self) -> None:
        """Update the catalog of a large store."""
        if self._took_s < QUICK_S or time.monotonic() - self._looked_s < LOOK_EVERY_S:
            return
        begun_s = self._looked_s = time.monotonic()
        await run_in_threadpool(list_runs, self._console.folder)
        self._took_s = time.monotonic() - begun_s

    async def judge(self, rows: list[CatalogRow]) -> None:
        """Judge runs without a verdict, to list their peaks; do nothing while a run is active."""
        for row in rows:
            if row.state in ENDED and row.measured and not row.verdict:
                if await run_in_threadpool(active_runs, self._console.folder):
                    return
                try:
                    key = ("judged", row.run, row.jobs)
                    await self._console.analyst.ask(judge_for_catalog, self._console.folder, row.run, key=key)
                except IgenError:
                    continue


def _is_large(store: Path) -> bool:
    if not store.is_dir():
        return False
    with os.scandir(store) as entries:
        return sum(1 for _ in islice(entries, LARGE)) == LARGE
