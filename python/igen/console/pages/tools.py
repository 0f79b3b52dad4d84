"""Tools that inspect this machine, with their options."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from igen.console.analysis import Printed, printed
from igen.console.page import markup, render
from igen.console.planning import ELSEWHERE, typed_again
from igen.console.route import Form, console_of, get, post
from igen.console.tool_dangers import is_danger
from igen.errors import InputError
from igen.report.tool import tool_document
from igen.workbench.own_command import own_command


async def tools(request: Request) -> Response:
    """Show all tools and their requirements."""
    return render(request, "tools.html", tools=await run_in_threadpool(_tools))


async def tool(request: Request) -> Response:
    """Show the form of a tool."""
    return _page(request, await _known(request), Form([]))


async def look(request: Request, form: Form) -> Response:
    """Run the tool and show its output."""
    known = await _known(request)
    _allowed(request, known, form)
    words = [word for argument in known["arguments"] for word in _words(argument, form.get(argument["name"]))]
    arguments = ["tool", known["name"], "--json", *words]
    said = msgspec.json.decode(await run_in_threadpool(own_command, arguments, finding=True))
    answer = await console_of(request).analyst.ask(printed, tool_document(said))
    return _page(request, known, form, answer)


def _page(request: Request, known: dict[str, Any], form: Form, answer: Printed | None = None) -> Response:
    dangers = _dangers(known)
    dangerous = console_of(request).dangerous
    shown = [each for each in known["arguments"] if dangerous or each not in dangers]
    return render(
        request,
        "tool.html",
        tool=known,
        shown=shown,
        dangers=[each["name"] for each in dangers],
        dangerous=dangerous,
        needs_danger=not dangerous and any(each["required"] for each in dangers),
        printed=answer,
        given=defaultdict(str, form.pairs),
        markup=markup,
    )


def _dangers(known: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for each in known["arguments"] if is_danger(known["name"], each)]


def _allowed(request: Request, known: dict[str, Any], form: Form) -> None:
    """Raise `InputError` for a dangerous option, unless this console allows it and the user confirmed it."""
    dangers = _dangers(known)
    asked = [each["name"] for each in dangers if form.get(each["name"]).strip()]
    if console_of(request).dangerous:
        typed_again(asked, form.get("confirm"), hint="it changes more than it reads")
    elif refused := asked or [each["name"] for each in dangers if each["required"]]:
        raise InputError(
            f"not allowed in this console: {', '.join(refused)}", where=known["name"], hint=ELSEWHERE
        )


def _tools() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = msgspec.json.decode(own_command(["tool", "--json"]))
    return found


async def _known(request: Request) -> dict[str, Any]:
    name = request.path_params["tool"]
    for each in await run_in_threadpool(_tools):
        if each["name"] == name:
            return each
    raise InputError("there is no such tool", where=name[:40], hint="the page Tools lists all tools")


def _words(argument: dict[str, Any], text: str) -> list[str]:
    """Return arguments for the agent; a value is joined to its option, so that it cannot act as an option."""
    value = text.strip()
    if not value:
        return []
    if argument["option"] is None:
        if value.startswith("-"):
            raise InputError(
                "must not start with a dash",
                where=argument["name"],
                hint="write ./ before the name of a file",
            )
        return [value]
    return [argument["option"]] if argument["value"] is None else [f"{argument['option']}={value}"]


ROUTES = [get("/tools", tools), get("/tools/{tool}", tool), post("/tools/{tool}", look)]
