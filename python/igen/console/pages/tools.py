"""Tools that look at this machine once, with the options that they tell."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from igen.console.analysis import printed
from igen.console.page import markup, render
from igen.console.route import Form, console_of, get, post
from igen.errors import InputError
from igen.report.tool import tool_document
from igen.workbench.own_command import own_command


async def tools(request: Request) -> Response:
    """All of them, and what each needs."""
    return render(request, "tools.html", tools=await run_in_threadpool(_tools))


async def tool(request: Request) -> Response:
    """The form of one tool."""
    return render(
        request, "tool.html", tool=await _known(request), printed=None, given=defaultdict(str), markup=markup
    )


async def look(request: Request, form: Form) -> Response:
    """Has the tool look, and shows what it says."""
    known = await _known(request)
    words = [word for argument in known["arguments"] for word in _words(argument, form.get(argument["name"]))]
    arguments = ["tool", known["name"], "--json", *words]
    said = msgspec.json.decode(await run_in_threadpool(own_command, arguments, finding=True))
    answer = await console_of(request).analyst.ask(printed, tool_document(said))
    return render(
        request, "tool.html", tool=known, printed=answer, given=defaultdict(str, form.pairs), markup=markup
    )


def _tools() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = msgspec.json.decode(own_command(["tool", "--json"]))
    return found


async def _known(request: Request) -> dict[str, Any]:
    name = request.path_params["tool"]
    for each in await run_in_threadpool(_tools):
        if each["name"] == name:
            return each
    raise InputError("there is no such tool", where=name[:40], hint="the page of the tools has them all")


def _words(argument: dict[str, Any], text: str) -> list[str]:
    """A value is joined to its option, so that none becomes an option by itself."""
    value = text.strip()
    if not value:
        return []
    if argument["option"] is None:
        if value.startswith("-"):
            raise InputError("begins with a dash", where=argument["name"], hint="./ before it names a file")
        return [value]
    return [argument["option"]] if argument["value"] is None else [f"{argument['option']}={value}"]


ROUTES = [get("/tools", tools), get("/tools/{tool}", tool), post("/tools/{tool}", look)]
