"""Routes for an active run: its stream, its points so far, and its state for polling."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response

from igen.console.live.position import BEGIN, Position, position_of, watched
from igen.console.page import render
from igen.console.route import console_of, get
from igen.errors import InputError

if TYPE_CHECKING:
    from igen.console.live.hub import Hub

USUAL_POINTS, MOST_POINTS = 1_000, 4_000
_NOT_KEPT = {"Cache-Control": "no-store"}


async def events(request: Request) -> Response:
    """Stream a run."""
    return await events_of(request, request.path_params["run"])


async def events_of(request: Request, run: str, until_unix_s: float = math.inf) -> Response:
    """The stream of a run, from the place `after` or that of the last event that the browser had.

    It ends at `until_unix_s`, by the console's clock.
    """
    text = request.headers.get("last-event-id") or request.query_params.get("after")
    places = {run: position_of(text) if text else BEGIN}
    return await _stream(request, places, is_of_one=True, until_unix_s=until_unix_s)


async def events_of_runs(request: Request) -> Response:
    """Stream several runs: `?runs=RUN@0003:184467,RUN`."""
    text = request.headers.get("last-event-id") or request.query_params.get("runs", "")
    return await _stream(request, watched(text), is_of_one=False)


async def series(request: Request) -> Response:
    """Send the points so far."""
    return await series_of(request, request.path_params["run"])


async def series_of(request: Request, run: str) -> Response:
    """Return the merged points of a run so far, with state, figures, and the position to continue from."""
    most = _number(request.query_params.get("points", str(USUAL_POINTS)))
    async with hub_of(request).tailer(run) as tailer:
        return _json(tailer.series(most))


async def digests(request: Request) -> Response:
    """Send new points."""
    return await digests_of(request, request.path_params["run"])


async def digests_of(request: Request, run: str) -> Response:
    """Return new points of a run after the position `since`, for browsers without a stream."""
    text = request.query_params.get("since", "")
    since = position_of(text) if text else BEGIN
    async with hub_of(request).tailer(run) as tailer:
        return _json(tailer.polled(since))


async def live(request: Request) -> Response:
    """Show the page of a run."""
    run = request.path_params["run"]
    base = f"/runs/{quote(run)}"
    return await live_of(request, run, base, f"{base}/live")


async def live_of(request: Request, run: str, base: str, again: str) -> Response:
    """The page: charts where there are scripts, the figures of now where there are none.

    What it asks for begins with the path `base`; `again` is its own.
    """
    async with hub_of(request).tailer(run) as tailer:
        record = tailer.run.read_record()
        return render(
            request,
            "live.html",
            run=tailer.run.id,
            base=base,
            again=again,
            title=record.title or record.name,
            system=record.system,
            created_unix_s=record.created_unix_s,
            last=tailer.last_point(),
            **tailer.now(),
        )


def hub_of(request: Request) -> Hub:
    """Return the hub of the app, created for the first viewer."""
    # What decodes histograms takes 15 MB: a console in which nobody watches has no need of it.
    from igen.console.live.hub import Hub

    state = request.app.state
    if not hasattr(state, "live"):
        console = console_of(request)
        state.live = Hub(console.folder, console.analyst.ask)
    hub: Hub = state.live
    return hub


def end_streams(app: Starlette) -> None:
    """End all streams on shutdown, for which the server would wait."""
    if hasattr(app.state, "live"):
        app.state.live.stop_soon()


async def _stream(
    request: Request, places: dict[str, Position], *, is_of_one: bool, until_unix_s: float = math.inf
) -> Response:
    from igen.console.live.stream import EventStream

    hub, console = hub_of(request), console_of(request)
    for run in places:
        hub.require(run)
    stream = EventStream(hub, places, is_of_one=is_of_one, left_s=lambda: until_unix_s - console.now())
    return stream.response()


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= MOST_POINTS:
        raise InputError(f"`{text[:20]}` is not a number of points", hint=f"use 1 to {MOST_POINTS:,}")
    return int(text)


def _json(body: Any) -> Response:
    return Response(msgspec.json.encode(body), media_type="application/json", headers=_NOT_KEPT)


ROUTES = [
    get("/events", events_of_runs),
    get("/runs/{run}/live", live),
    get("/runs/{run}/events", events),
    get("/runs/{run}/series", series),
    get("/runs/{run}/digest", digests),
]
