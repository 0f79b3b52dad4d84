"""A run: live while it is active, then its result, report, files, notes and tags."""

from __future__ import annotations

from pathlib import Path

from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response

from igen.console.analysis import Printed, goes_on, printed_levels, printed_report, printed_result
from igen.console.live.routes import live
from igen.console.page import markup, problem, render
from igen.console.pages.runs import known_run
from igen.console.route import Form, console_of, get, post
from igen.console.state import Console
from igen.errors import IgenError, InputError
from igen.store.access import not_read
from igen.store.catalog import CatalogRow, catalog_row
from igen.store.job_file import JOBS_FOLDER, read_file_of_run
from igen.store.notes import add_note, change_tags, read_notes
from igen.store.run import FLOOR_FILE, RUN_FILE, Run
from igen.workbench.stop import stop as stop_run

REPORT_POLICY = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
"""Policy of the report, whose charts have scripts: a separate origin without cookies and network."""


async def run(request: Request) -> Response:
    """Show the result, or the live page."""
    console = console_of(request)
    found, row = await found_run(request)
    notes = read_notes(found)
    if row.state == "running":
        return await live(request)
    printed = await result_of(console, [row]) if row.measured else None
    return render(request, "result.html", row=row, notes=notes, printed=printed, markup=markup)


async def found_run(request: Request) -> tuple[Run, CatalogRow]:
    """Return the run in the path. Raises `InputError`."""
    console = console_of(request)
    found = known_run(console, request.path_params["run"])
    row = await run_in_threadpool(catalog_row, console.folder, found)
    if row is None:
        raise InputError("there is no such run", where=found.id, hint="it may have been removed")
    return found, row


async def result_of(console: Console, rows: list[CatalogRow], *, with_files: bool = True) -> Printed:
    """Return the cached result of runs. Raises `InputError` for an active run."""
    _ended(rows)
    ids = tuple(row.run for row in rows)
    return await console.analyst.ask(
        printed_result, console.folder, ids, with_files, key=("result", with_files, *_as_they_are(rows))
    )


def _ended(rows: list[CatalogRow]) -> None:
    """Raise `InputError` for an active run: the analyst caches results of ended runs only."""
    for row in rows:
        if row.state == "running":
            raise goes_on(row.run)


def _as_they_are(rows: list[CatalogRow]) -> list[object]:
    return [(row.run, row.jobs, row.state, row.notes) for row in rows]


async def report_of(console: Console, rows: list[CatalogRow]) -> Response:
    """Return the report of runs. Raises `InputError` for an active run."""
    _ended(rows)
    ids, key = [row.run for row in rows], ("report", *_as_they_are(rows))
    text = await console.analyst.ask(printed_report, console.folder, ids, key=key)
    return Response(text, media_type="text/html", headers={"content-security-policy": REPORT_POLICY})


async def csv_of(console: Console, rows: list[CatalogRow]) -> Response:
    """Return the levels of runs as CSV. Raises `InputError` for an active run."""
    _ended(rows)
    text = await console.analyst.ask(printed_levels, console.folder, [row.run for row in rows])
    headers = {"content-disposition": 'attachment; filename="levels.csv"'}
    return Response(text, media_type="text/csv", headers=headers)


async def report(request: Request) -> Response:
    """Send the report of the run."""
    return await report_of(console_of(request), [(await found_run(request))[1]])


async def levels_csv(request: Request) -> Response:
    """Send the levels of the run as CSV."""
    return await csv_of(console_of(request), [(await found_run(request))[1]])


async def files(request: Request) -> Response:
    """Show all files of the run."""
    found, row = await found_run(request)
    sizes = {name: path.stat().st_size for name, path in files_of(found).items()}
    return render(request, "files.html", row=row, sizes=sizes)


async def file(request: Request) -> Response:
    """Send a file of the run as a download, never as a page."""
    found, _ = await found_run(request)
    path = files_of(found).get(request.path_params["name"])
    if path is None:
        raise InputError("there is no such file", where=found.id, hint="the run's page lists its files")
    try:
        opened = read_file_of_run(path)
    except OSError as error:
        raise not_read(path, error) from error
    return FileResponse(
        f"/proc/self/fd/{opened.fileno()}",
        media_type="application/octet-stream",
        filename=f"{found.id}-{path.name}",
        background=BackgroundTask(opened.close),
    )


def files_of(found: Run) -> dict[str, Path]:
    """Return the files of a run by name; other names do not exist."""
    fixed = [found.folder / RUN_FILE, found.folder / FLOOR_FILE]
    jobs = [path for path in sorted((found.folder / JOBS_FOLDER).iterdir()) if not path.is_symlink()]
    there = [path for path in (*fixed, *jobs) if path.is_file() and not path.is_symlink()]
    return {path.relative_to(found.folder).as_posix(): path for path in there}


async def note(request: Request, form: Form) -> Response:
    """Add a note."""
    found = known_run(console_of(request), request.path_params["run"])
    try:
        add_note(found, form.get("text"), request.state.visitor.name)
    except IgenError as error:
        return problem(request, error, typed=form.get("text"))
    return RedirectResponse(f"/runs/{found.id}#notes", 303)


async def tags(request: Request, form: Form) -> Response:
    """Add and remove tags."""
    found = known_run(console_of(request), request.path_params["run"])
    words = form.get("tags").split()
    on = [word.removeprefix("+") for word in words if not word.startswith("-")]
    change_tags(found, on, [word[1:] for word in words if word.startswith("-")], request.state.visitor.name)
    return RedirectResponse(f"/runs/{found.id}", 303)


async def stop(request: Request, _form: Form) -> Response:
    """Stop the run; a second stop ends it at once."""
    console = console_of(request)
    found = known_run(console, request.path_params["run"])
    await run_in_threadpool(stop_run, found.id, console.store)
    return RedirectResponse(f"/runs/{found.id}", 303)


ROUTES = [
    get("/runs/{run}", run),
    get("/runs/{run}/report", report),
    get("/runs/{run}/levels.csv", levels_csv),
    get("/runs/{run}/files", files),
    get("/runs/{run}/files/{name:path}", file),
    post("/runs/{run}/note", note),
    post("/runs/{run}/tags", tags),
    post("/runs/{run}/stop", stop),
]
