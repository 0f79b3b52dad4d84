"""Entries as tests need them."""

from __future__ import annotations

from typing import Any

from igen.queue.entry import Entry

NOW_UNIX_S = 1_000_000.0


def made(job: int, state: Any = "waiting", **more: Any) -> Entry:
    """An entry whose place is its number."""
    fields = {"rank": str(job), "study": "a.toml", "folder": "/", "added_unix_s": NOW_UNIX_S}
    return Entry(job=job, state=state, **fields | more)
