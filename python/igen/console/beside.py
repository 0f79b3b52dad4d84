"""Long computations wait while a run is active, unless the user insists."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from igen.console.route import console_of
from igen.store.active import active_runs

ASKED = "anyway"
"""Field of a query with which a user insists."""


async def in_the_way(request: Request) -> list[str]:
    """Return the active runs that an answer would disturb; empty if the user insists."""
    if ASKED in request.query_params:
        return []
    return sorted(await run_in_threadpool(active_runs, console_of(request).folder))


def anyway(request: Request, typed: Sequence[tuple[str, str]] = ()) -> str:
    """Return the link that insists, with the input of a form (`typed`) instead of the query."""
    fields = [*(typed or request.query_params.multi_items()), (ASKED, "yes")]
    return f"{request.url.path}?{urlencode(fields)}"
