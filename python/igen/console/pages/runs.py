"""All runs."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from igen.console.page import render
from igen.console.route import console_of, get


async def runs(request: Request) -> Response:
    """The list."""
    return render(request, "runs.html", rows=console_of(request).store.list_runs())


ROUTES = [get("/", runs)]
