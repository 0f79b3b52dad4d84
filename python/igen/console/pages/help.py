"""The help page: pages, search and keys."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from igen.console.page import render
from igen.console.route import get


async def help_page(request: Request) -> Response:
    """Show the help page."""
    return render(request, "help.html")


ROUTES = [get("/help", help_page)]
