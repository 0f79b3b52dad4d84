"""Private servers: list, memory and disk space, start and stop."""

from __future__ import annotations

from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from igen.console.page import render
from igen.console.route import Form, get, post
from igen.errors import InputError
from igen.instances.control import selected, status
from igen.instances.products import PRODUCTS
from igen.instances.status import InstanceStatus
from igen.workbench.own_command import own_command

MOST = 16


async def instances(request: Request) -> Response:
    """Show all instances."""
    return render(request, "instances.html", found=await run_in_threadpool(_found), kinds=list(PRODUCTS))


def _found(directory: Path | None = None) -> list[InstanceStatus]:
    return [status(one) for one in selected(directory, None)]


async def up(request: Request, form: Form) -> Response:
    """Start instances of a kind."""
    kind, count = _kind(form), form.get("count", "1")
    if not (count.isascii() and count.isdecimal() and 1 <= int(count[:4]) <= MOST):
        raise InputError(f"must be from 1 to {MOST}", where="count", hint="the command line can start more")
    await run_in_threadpool(own_command, ["instances", "up", kind, "--count", count, "--quiet"])
    return RedirectResponse("/instances", 303)


async def down(request: Request, form: Form) -> Response:
    """Stop all instances of a kind, and keep their data."""
    await run_in_threadpool(own_command, ["instances", "down", _kind(form), "--quiet"])
    return RedirectResponse("/instances", 303)


def _kind(form: Form) -> str:
    kind = form.get("kind")
    if kind not in PRODUCTS:
        raise InputError("there is no such kind", where=kind[:40], hint=f"one of {', '.join(PRODUCTS)}")
    return kind


ROUTES = [get("/instances", instances), post("/instances/up", up), post("/instances/down", down)]
