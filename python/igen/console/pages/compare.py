"""Comparison of runs: the first run is the base of all ratios."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from igen.console.page import markup, render
from igen.console.pages.result import csv_of, report_of, result_of
from igen.console.pages.runs import known_run
from igen.console.route import console_of, get
from igen.errors import InputError
from igen.store.catalog import CatalogRow, catalog_row

MOST = 12


async def compare(request: Request) -> Response:
    """Show the comparison, with a link that swaps the base."""
    rows = await chosen(request)
    printed = await result_of(console_of(request), rows)
    return render(request, "compare.html", rows=rows, printed=printed, markup=markup)


async def compare_report(request: Request) -> Response:
    """Send the report of the comparison."""
    return await report_of(console_of(request), await chosen(request))


async def compare_csv(request: Request) -> Response:
    """Send the levels as CSV."""
    return await csv_of(console_of(request), await chosen(request))


async def chosen(request: Request) -> list[CatalogRow]:
    """Return the runs of the query: `a` and `b`, or several `run`. Raises `InputError`."""
    asked = request.query_params
    names = [*asked.getlist("a"), *asked.getlist("b"), *asked.getlist("run")]
    if not 2 <= len(names) <= MOST:
        hint = "select them in the list of runs; the oldest run is the base"
        raise InputError(f"select 2 to {MOST} runs", hint=hint)
    return await rows_of(request, names)


async def rows_of(request: Request, names: list[str]) -> list[CatalogRow]:
    """Return the rows of runs; selected runs, which the list has newest first, in the order of time."""
    console = console_of(request)
    rows: list[CatalogRow] = []
    for name in names:
        row = await run_in_threadpool(catalog_row, console.folder, known_run(console, name))
        if row is None or not row.measured:
            raise InputError("nothing was measured in this run", where=name, hint="choose another run")
        rows.append(row)
    ordered = "run" in request.query_params
    return sorted(rows, key=lambda row: row.created_unix_s) if ordered else rows


ROUTES = [
    get("/compare", compare),
    get("/compare/report", compare_report),
    get("/compare/levels.csv", compare_csv),
]
