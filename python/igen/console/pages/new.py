"""A new run: a form from the workload's schema or a study as text, its plan, and its start."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from igen.ask.asked import QUESTIONS
from igen.console.forms import FIRST_LOOK, PARAMETER, Wish, field_of, parameters_of, start_of, wish_of
from igen.console.page import render, status_of
from igen.console.pages.result import found_run
from igen.console.planning import Planned, asker_of, confirmed, enqueued, planned
from igen.console.route import Form, console_of, get, post
from igen.errors import IgenError, InputError
from igen.study.shipped import studies_at_hand, study_text
from igen.workbench.begun import forget as forget_study
from igen.workbench.begun import not_begun
from igen.workbench.launch import launch
from igen.workload_parameters import known_workloads


async def new(request: Request) -> Response:
    """Show the form of a workload, or a study from the list."""
    asked = request.query_params
    if study := asked.get("study"):
        text = await run_in_threadpool(_study_text, study)
        return await _form(request, Form([]), text=text, chosen=study)
    workloads = await run_in_threadpool(known_workloads)
    first = start_of(_named(workloads, asked.get("workload", FIRST_LOOK["workload"])))
    return await _form(request, Form([*first.items(), *asked.multi_items()]), workloads=workloads)


async def again(request: Request) -> Response:
    """Show the study of an earlier run, to repeat or change it."""
    from igen.workbench.toml_text import toml_text

    found, _ = await found_run(request)
    return await _form(request, Form([]), text=toml_text(found.read_record().study), chosen=found.id)


async def check(request: Request, form: Form) -> Response:
    """Show the plan."""
    text = form.get("study").replace("\r\n", "\n")
    workloads = await run_in_threadpool(known_workloads)
    try:
        wish = None if text.strip() else _wish(form, workloads)
        plan = await run_in_threadpool(
            planned, console_of(request), wish.text if wish else text, wish.command if wish else ""
        )
    except IgenError as error:
        return await _form(request, form, text=text, error=error, workloads=workloads)
    return await _form(request, form, text=text, plan=plan, workloads=workloads)


def _wish(form: Form, workloads: list[dict[str, Any]]) -> Wish:
    return wish_of(form, _named(workloads, form.get("workload")).get("run_defaults"))


def _named(workloads: list[dict[str, Any]], name: str) -> dict[str, Any]:
    found = next((each for each in workloads if each["name"] == name), None)
    if found is None:
        raise InputError(f"there is no workload `{name[:80]}`", hint="choose a workload from the list")
    return found


async def start(request: Request, form: Form) -> Response:
    """Start the study in a separate process, and show its run."""
    console, text = console_of(request), form.get("study").replace("\r\n", "\n")
    try:
        confirmed(await run_in_threadpool(planned, console, text), form.get("confirm"))
        run = await run_in_threadpool(launch, text, console.store, asker_of(console, request.state.visitor))
    except IgenError as error:
        return await _form(request, form, text=text, error=error)
    return RedirectResponse(f"/runs/{run}" if run else "/new/preparing", 303)


async def preparing(request: Request) -> Response:
    """Show started studies without a run: preparing or failed."""
    console = console_of(request)
    found = await run_in_threadpool(not_begun, console.store, console.now())
    return render(request, "preparing.html", begun=found)


async def forget(request: Request, form: Form) -> Response:
    """Dismiss the message of a study that failed to start."""
    await run_in_threadpool(forget_study, console_of(request).store, form.get("study"))
    return RedirectResponse("/", 303)


async def queue(request: Request, form: Form) -> Response:
    """Add the study to the queue."""
    console, text = console_of(request), form.get("study").replace("\r\n", "\n")
    try:
        confirmed(await run_in_threadpool(planned, console, text), form.get("confirm"))
        asker = asker_of(console, request.state.visitor)
        await run_in_threadpool(enqueued, console, text, form.get("at"), form.get("after"), asker)
    except IgenError as error:
        return await _form(request, form, text=text, error=error)
    return RedirectResponse("/queue", 303)


async def _form(
    request: Request,
    form: Form,
    *,
    text: str = "",
    chosen: str = "",
    plan: Planned | None = None,
    error: IgenError | None = None,
    workloads: list[dict[str, Any]] | None = None,
) -> Response:
    if workloads is None:
        workloads = await run_in_threadpool(known_workloads)
    workload = _named(workloads, form.get("workload", FIRST_LOOK["workload"]))
    return render(
        request,
        "new.html",
        status=status_of(error) if error else 200,
        workloads=[each for each in workloads if each["name"] != "command" or console_of(request).dangerous],
        workload=workload,
        parameters=parameters_of(workload),
        prefix=PARAMETER,
        questions=QUESTIONS,
        given=defaultdict(str, form.pairs),
        studies=[str(path) for path in studies_at_hand()],
        text=text,
        chosen=chosen,
        plan=plan,
        error=error,
        wrong=field_of(error.where) if error else "",
    )


def _study_text(name: str) -> str:
    """Return a study from the list; no other file is read. Raises `InputError`."""
    if name not in [str(path) for path in studies_at_hand()]:
        raise InputError("there is no such study", where=name[:80], hint="choose a study from the list")
    return study_text(Path(name))


ROUTES = [
    get("/new", new),
    get("/new/preparing", preparing),
    get("/runs/{run}/again", again),
    post("/new/check", check),
    post("/new/start", start),
    post("/new/queue", queue),
    post("/new/forget", forget),
]
