"""A workload over time: a point for each run, and where it changed."""

from __future__ import annotations

from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from igen.console.analysis import Printed, printed_history
from igen.console.beside import anyway, in_the_way
from igen.console.page import markup, render
from igen.console.route import console_of, get
from igen.errors import InputError


async def trend(request: Request) -> Response:
    """Show the history of a workload on this machine or on the given machine."""
    console, asked = console_of(request), request.query_params
    known = await run_in_threadpool(_workloads, console.folder)
    workload, host = asked.get("workload", ""), asked.get("host", "").strip()
    printed: Printed | None = None
    error = None
    waits_for: list[str] = []
    if workload:
        key = ("trend", workload, host, known.get(workload))
        waits_for = [] if console.analyst.has(key) else await in_the_way(request)
        try:
            if not waits_for:
                printed = await console.analyst.ask(printed_history, console.folder, workload, host, key=key)
        except InputError as said:
            error = said
    return render(
        request,
        "trend.html",
        workloads=sorted(known),
        workload=workload,
        host=host,
        printed=printed,
        error=error,
        waits_for=waits_for,
        anyway=anyway(request),
        markup=markup,
    )


def _workloads(store: Path) -> dict[str, int]:
    from igen.store.catalog import measured_workloads

    return measured_workloads(store)


ROUTES = [get("/trend", trend)]
