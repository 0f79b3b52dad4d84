"""Plan of a data centre: sliders for `igen datacenter plan`."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from igen.console.beside import anyway, in_the_way
from igen.console.page import markup, render
from igen.console.pages.runs import known_run
from igen.console.room import SLIDERS, answered, values_of
from igen.console.route import console_of, get
from igen.errors import InputError


async def datacenter(request: Request) -> Response:
    """Show the sliders, and the answer for the selected runs."""
    console, asked = console_of(request), request.query_params
    ids = [known_run(console, run).id for run in asked.getlist("run")]
    rows = [row for row in (await console.listing.page("", 0, 50)).rows if row.measured]
    said, answer, values = None, None, {each.name: each.usual for each in SLIDERS}
    waits_for: list[str] = []
    try:
        values = values_of(dict(asked.items()))
        key = ("datacenter", *ids, *values.values())
        if ids and not console.analyst.has(key):
            waits_for = await in_the_way(request)
        if ids and not waits_for:
            answer = await console.analyst.ask(answered, console.folder, ids, values, key=key)
    except InputError as error:
        said = error
    return render(
        request,
        "datacenter.html",
        rows=rows,
        ids=ids,
        sliders=SLIDERS,
        values=values,
        printed=answer[0] if answer else None,
        text=answer[1] if answer else "",
        error=said,
        waits_for=waits_for,
        anyway=anyway(request),
        markup=markup,
    )


ROUTES = [get("/datacenter", datacenter)]
