"""What browsers ask of a run while it goes: its stream, its points so far, its state for those who poll."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from igen.console.live.hub import Hub
from igen.console.live.position import BEGIN, Position, position_of, watched
from igen.console.live.stream import EventStream
from igen.errors import InputError

USUAL_POINTS, MOST_POINTS = 1_000, 4_000
_NOT_KEPT = {"Cache-Control": "no-store"}


async def events(request: Request) -> Response:
    """The stream of one run, from the place `after` or that of the last event that the browser had."""
    run = request.path_params["run"]
    text = request.headers.get("last-event-id") or request.query_params.get("after")
    return await _stream(request, {run: position_of(text) if text else BEGIN}, is_of_one=True)


async def events_of_runs(request: Request) -> Response:
    """The stream of several runs: `?runs=RUN@0003:184467,RUN`."""
    text = request.headers.get("last-event-id") or request.query_params.get("runs", "")
    return await _stream(request, watched(text), is_of_one=False)


async def series(request: Request) -> Response:
    """The points so far, thinned, with state and figures, and the place where the stream goes on."""
    most = _number(request.query_params.get("points", str(USUAL_POINTS)))
    async with hub_of(request).tailer(request.path_params["run"]) as tailer:
        return _json(tailer.series(most))


async def digests(request: Request) -> Response:
    """What is new behind the place `since`, for browsers that get no stream."""
    text = request.query_params.get("since", "")
    since = position_of(text) if text else BEGIN
    async with hub_of(request).tailer(request.path_params["run"]) as tailer:
        return _json(tailer.polled(since))


def hub_of(request: Request) -> Hub:
    """The hub of the app."""
    hub = request.app.state.live
    if not isinstance(hub, Hub):
        raise TypeError("`app.state.live` is no hub")
    return hub


async def _stream(request: Request, places: dict[str, Position], *, is_of_one: bool) -> Response:
    hub = hub_of(request)
    for run in places:
        hub.require(run)
    return EventStream(hub, places, is_of_one=is_of_one).response()


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= MOST_POINTS:
        raise InputError(f"`{text[:20]}` is no number of points", hint=f"from 1 to {MOST_POINTS:,}")
    return int(text)


def _json(body: Any) -> Response:
    return Response(msgspec.json.encode(body), media_type="application/json", headers=_NOT_KEPT)


ROUTES = [
    Route("/events", events_of_runs),
    Route("/runs/{run}/events", events),
    Route("/runs/{run}/series", series),
    Route("/runs/{run}/digest", digests),
]
