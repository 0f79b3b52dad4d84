"""What can be done here, how runs are looked for, and which keys there are."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from igen.console.page import render
from igen.console.route import get


async def help_page(request: Request) -> Response:
    """One page, without a network."""
    return render(request, "help.html")


ROUTES = [get("/help", help_page)]
