"""Links for readers without a login to a result or comparison, with an expiry date."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from igen.console.live.routes import digests_of, events_of, live_of, series_of
from igen.console.page import markup, render
from igen.console.pages.compare import chosen
from igen.console.pages.result import found_run, report_of, result_of
from igen.console.pages.runs import known_run
from igen.console.route import Form, console_of, get, post
from igen.errors import InputError
from igen.store.catalog import CatalogRow, catalog_row

PURPOSE = "share"
DAY_S = 86_400.0
MOST_DAYS = 365


async def share_run(request: Request) -> Response:
    """Show the form for a run."""
    return _form(request, [(await found_run(request))[1]])


async def share_comparison(request: Request) -> Response:
    """Show the form for a comparison."""
    return _form(request, await chosen(request))


async def share(request: Request, form: Form) -> Response:
    """Create a signed link that contains its runs and its expiry; nothing is stored."""
    console, days = console_of(request), form.get("days")
    if not (days.isascii() and days.isdecimal() and 1 <= int(days[:6]) <= MOST_DAYS):
        raise InputError(f"must be from 1 to {MOST_DAYS}", where="days", hint="such as 14")
    ids = [known_run(console, each).id for each in form.all("run")]
    if not ids:
        raise InputError("no run is named", where="run", hint="share it from its page")
    until_unix_s = console.now() + int(days) * DAY_S
    word = console.signer.sign(PURPOSE, ids, until_unix_s)
    scheme, host = request.url.scheme, request.headers["host"]
    return _form(request, await _rows(request, ids), f"{scheme}://{host}/s/{word}", until_unix_s)


def _form(request: Request, rows: list[CatalogRow], link: str = "", until_unix_s: float = 0.0) -> Response:
    return render(request, "share.html", rows=rows, link=link, until_unix_s=until_unix_s)


async def shared(request: Request) -> Response:
    """Show the result of a link; the live page while its run is active."""
    rows = await _shared(request)
    if [row.state for row in rows] == ["running"]:
        return await live_of(request, rows[0].run, request.url.path, request.url.path)
    printed = await result_of(console_of(request), rows, with_files=False)
    return render(request, "shared.html", rows=rows, printed=printed, markup=markup)


async def shared_report(request: Request) -> Response:
    """Send the report of a link."""
    return await report_of(console_of(request), await _shared(request))


async def shared_events(request: Request) -> Response:
    """Stream the run of a link until the link expires."""
    run = await _only_run(request)
    return await events_of(request, run, _read(request)[1])


async def shared_series(request: Request) -> Response:
    """Send the points of the run so far."""
    return await series_of(request, await _only_run(request))


async def shared_digests(request: Request) -> Response:
    """Send new points of the run."""
    return await digests_of(request, await _only_run(request))


async def _only_run(request: Request) -> str:
    """Return the run of a link. Raises `InputError` for a comparison."""
    rows = await _shared(request)
    if len(rows) != 1:
        raise InputError("this link shows a comparison", hint="open the page of each run")
    return rows[0].run


async def _shared(request: Request) -> list[CatalogRow]:
    """Return the runs of a link. Raises `InputError` if it is invalid or expired."""
    return await _rows(request, _read(request)[0])


def _read(request: Request) -> tuple[list[str], float]:
    """Return the ids of the runs of a link, and its expiry as Unix time in seconds. Raises `InputError`."""
    console = console_of(request)
    match console.signer.read_with_end(PURPOSE, request.path_params["token"], console.now()):
        case [[*ids], until_unix_s] if ids:
            return [str(each) for each in ids], until_unix_s
    raise InputError("this link has expired or is invalid", hint="ask for a new link")


async def _rows(request: Request, ids: list[str]) -> list[CatalogRow]:
    console = console_of(request)
    rows = [await run_in_threadpool(catalog_row, console.folder, known_run(console, each)) for each in ids]
    return [row for row in rows if row is not None]


ROUTES = [
    get("/runs/{run}/share", share_run),
    get("/share", share_comparison),
    post("/share", share),
    get("/s/{token}", shared),
    get("/s/{token}/report", shared_report),
    get("/s/{token}/events", shared_events),
    get("/s/{token}/series", shared_series),
    get("/s/{token}/digest", shared_digests),
]
