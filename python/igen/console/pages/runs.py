"""The list of runs: search, comparison, tags."""

from __future__ import annotations

import asyncio
from urllib.parse import urlencode

from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from igen.console.page import LATER, render
from igen.console.route import Form, console_of, get, post
from igen.console.state import Console
from igen.errors import InputError
from igen.store.catalog import CatalogRow
from igen.store.notes import HIDDEN, change_tags
from igen.store.run import Run
from igen.store.search import HINT
from igen.workbench.begun import not_begun

ROWS = 50


async def runs(request: Request) -> Response:
    """The list."""
    console = console_of(request)
    search = request.query_params.get("q", "").strip()
    number = _page_number(request.query_params.get("page", "1"))
    wrong = ""
    try:
        found = await console.listing.page(search, (number - 1) * ROWS, ROWS)
    except InputError as error:
        wrong = f"{error.text}. {error.hint}"
        found = await console.listing.page("", 0, ROWS)
    answer = render(
        request,
        "runs.html",
        later=LATER,
        begun=await run_in_threadpool(not_begun, console.store, console.now()),
        rows=found.rows,
        found=found.found,
        first=(number - 1) * ROWS + 1,
        search=search,
        wrong=wrong,
        hint=HINT,
        here=_link(search, number).removeprefix("/"),
        before=_link(search, number - 1) if number > 1 else "",
        after=_link(search, number + 1) if number * ROWS < found.found else "",
    )
    answer.background = BackgroundTask(_beside, console, found.rows)
    return answer


async def _beside(console: Console, rows: list[CatalogRow]) -> None:
    await asyncio.gather(console.listing.look(), console.listing.judge(rows))


def _page_number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and 0 < len(text) < 7 and int(text) else 1


def _link(search: str, number: int) -> str:
    return "/?" + urlencode({"q": search, "page": number} if search else {"page": number})


async def tag(request: Request, form: Form) -> Response:
    """Add tags to the selected runs; a tag with a minus is removed."""
    words = form.get("tags").split()
    on = [word.removeprefix("+") for word in words if not word.startswith("-")]
    _change(request, form, on, [word[1:] for word in words if word.startswith("-")])
    return _back(request)


async def hide(request: Request, form: Form) -> Response:
    """Hide the selected runs, except from a search for hidden runs."""
    _change(request, form, [HIDDEN], [])
    return _back(request)


def _back(request: Request) -> Response:
    """Redirect to the page of the list with the selected runs."""
    search, number = request.query_params.get("q", ""), request.query_params.get("page", "1")
    return RedirectResponse(_link(search, _page_number(number)), 303)


def _change(request: Request, form: Form, on: list[str], off: list[str]) -> None:
    chosen = form.all("run")
    if not chosen:
        raise InputError("no run is selected", hint="select runs in the list")
    for run in [known_run(console_of(request), each) for each in chosen]:
        change_tags(run, on, off, request.state.visitor.name)


def known_run(console: Console, reference: str) -> Run:
    """Return a run of the store by its whole id, not by a path. Raises `InputError`."""
    if "/" in reference or "\0" in reference or reference.startswith(".") or len(reference) > 255:
        raise InputError("there is no such run", where=reference[:80], hint="the list of runs shows all runs")
    run = Run(console.folder / reference)
    if not run.folder.is_dir() or not (run.folder / "jobs").is_dir():
        raise InputError("there is no such run", where=reference, hint="it may have been removed")
    return run


ROUTES = [get("/", runs), post("/runs/tag", tag), post("/runs/hide", hide)]
