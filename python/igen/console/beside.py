"""What takes a processor for a while waits while a run goes on, unless somebody asks for it all the same."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from igen.console.route import console_of
from igen.store.active import active_runs

ASKED = "anyway"
"""The field of a query that asks for it."""


async def in_the_way(request: Request) -> list[str]:
    """The runs of this store that an answer would disturb; none where it is asked for all the same."""
    if ASKED in request.query_params:
        return []
    return sorted(await run_in_threadpool(active_runs, console_of(request).folder))


def anyway(request: Request, typed: Sequence[tuple[str, str]] = ()) -> str:
    """The link that asks for it all the same, with what was `typed` in a form instead of the query."""
    fields = [*(typed or request.query_params.multi_items()), (ASKED, "yes")]
    return f"{request.url.path}?{urlencode(fields)}"
