"""All that is in a queue, for a table or a program."""

from __future__ import annotations

from msgspec.structs import replace

from igen.queue.entry import ENDED, Listing
from igen.queue.folder import QueueFolder
from igen.queue.order import ordered
from igen.queue.study_process import run_of


def listing(queue: QueueFolder) -> Listing:
    """The jobs that have ended, the running one with its run, and the others as they will run.

    Raises `IgenError` where the queue cannot be read.
    """
    content = queue.read()
    over = [entry for entry in content.entries if entry.state in ENDED]
    over.sort(key=lambda entry: (entry.ended_unix_s or 0.0, entry.job))
    running = [
        replace(entry, run=run_of(queue.job_folder(entry.job)))
        for entry in content.entries
        if entry.state == "running"
    ]
    to_come = ordered(entry for entry in content.entries if entry.is_open)
    return Listing(jobs=[*over, *running, *to_come], damaged=list(content.damaged.values()))
