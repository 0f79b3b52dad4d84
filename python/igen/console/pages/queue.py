"""The queue: its jobs, their order and their results."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from igen.console.page import render
from igen.console.planning import ELSEWHERE
from igen.console.route import Form, console_of, get, post
from igen.errors import InputError
from igen.queue.changes import check_removal, chosen, first_open, held, moved, released
from igen.queue.entry import Entry
from igen.queue.folder import QueueFolder
from igen.queue.listing import listing
from igen.workbench.dangers import dangers_of_job
from igen.workbench.launch import work_off_queue


async def queue(request: Request) -> Response:
    """Show all jobs: ended, running, and waiting in their order."""
    console = console_of(request)
    folder = QueueFolder(console.folder)
    found = await run_in_threadpool(listing, folder)
    refused = {} if console.dangerous else await run_in_threadpool(_refused, folder, found.jobs)
    return render(request, "queue.html", jobs=found.jobs, damaged=found.damaged, refused=refused)


def _refused(folder: QueueFolder, jobs: list[Entry]) -> dict[int, str]:
    """Return the jobs that this console does not start, each with its first danger."""
    found = {entry.job: dangers_of_job(folder, entry) for entry in jobs if entry.is_open}
    return {job: dangers[0] for job, dangers in found.items() if dangers}


async def change(request: Request, form: Form) -> Response:
    """Hold, release, move or remove a job."""
    await run_in_threadpool(_change, request, form.get("job"), form.get("do"))
    return RedirectResponse("/queue", 303)


def _change(request: Request, reference: str, what: str) -> None:
    console = console_of(request)
    folder = QueueFolder(console.folder)
    with folder.locked() as content:
        if what == "remove":
            # A repetition that is missing is added first, so that its job is not repeated once it is removed.
            content = folder.repeat_ended(content, console.now())
        for entry in chosen(content.entries, [reference]):
            match what:
                case "hold":
                    folder.write(held(entry))
                case "release":
                    if not console.dangerous and (refused := _refused(folder, [entry])):
                        where = f"job {entry.job}"
                        raise InputError(
                            f"not allowed in this console: {refused[entry.job]}", where=where, hint=ELSEWHERE
                        )
                    folder.write(released(entry))
                case "first":
                    folder.write(moved(entry, content.entries, first_open(content.entries, entry)))
                case "last":
                    folder.write(moved(entry, content.entries, None))
                case "remove":
                    check_removal(content.entries, [entry])
                    folder.remove(entry)
                case _:
                    raise InputError("unknown action", where="do", hint="use the buttons")


async def work_off(request: Request, _form: Form) -> Response:
    """Run the queue in a separate process, which ends if no job is due."""
    console = console_of(request)
    await run_in_threadpool(work_off_queue, console.store, guarded=not console.dangerous)
    return RedirectResponse("/queue", 303)


ROUTES = [get("/queue", queue), post("/queue/change", change), post("/queue/run", work_off)]
