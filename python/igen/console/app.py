"""THE list of pages, and the application that serves them."""

from __future__ import annotations

from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from igen.console import login
from igen.console.guard import Guard
from igen.console.live import routes as live
from igen.console.page import problem
from igen.console.pages import (
    compare,
    datacenter,
    help,
    instances,
    new,
    queue,
    recording,
    result,
    runs,
    share,
    tools,
    trend,
)
from igen.console.state import Console
from igen.errors import InputError

SUBJECTS = (
    *(login, runs, new, recording, result, live, compare, queue, trend, instances, tools, datacenter, share),
    help,
)
"""Modules of pages, each with `ROUTES`."""
STATIC = Path(__file__).parent / "static"


def routes(*, read_only: bool) -> list[Route]:
    """Return the routes of all pages, in a read-only console without those that change something."""
    every: list[Route] = [route for subject in SUBJECTS for route in subject.ROUTES]
    return [
        route for route in every if not read_only or route.path == "/login" or "POST" not in _methods(route)
    ]


def _methods(route: Route) -> set[str]:
    return set(route.methods or ())


def create_app(console: Console) -> Starlette:
    """Return the application for a store."""
    mounted: list[BaseRoute] = [
        *routes(read_only=console.read_only),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    app = Starlette(
        routes=mounted,
        middleware=[Middleware(Guard, console=console)],
        exception_handlers={404: _not_found, 405: _not_allowed},
    )
    app.state.console = console
    return app


async def _not_found(request: Request, _error: Exception) -> Response:
    return problem(request, InputError("there is no such page", where=request.url.path), 404)


async def _not_allowed(request: Request, _error: Exception) -> Response:
    return problem(request, InputError("this page does not support this method", where=request.url.path), 405)
