"""All that is in a queue, for a table or a program."""

from __future__ import annotations

import time

from msgspec.structs import replace

from igen.queue.entry import ENDED, Entry, Listing
from igen.queue.folder import QueueFolder
from igen.queue.order import ordered
from igen.queue.study_process import goes_on, run_of
from igen.queue.unseen import as_its_run
from igen.store.access import not_read


def listing(queue: QueueFolder) -> Listing:
    """Return the jobs that have ended, the running one with its run, and the others as they will run.

    A job whose runner was killed has the state of its run. Raises `IgenError` if the queue cannot be read.
    """
    content = queue.read()
    try:
        entries = [_as_it_is(queue, entry) for entry in content.entries]
    except OSError as error:
        raise not_read(queue.path, error) from error
    over = [entry for entry in entries if entry.state in ENDED]
    over.sort(key=lambda entry: (entry.ended_unix_s or 0.0, entry.job))
    running = [entry for entry in entries if entry.state == "running"]
    to_come = ordered(entry for entry in entries if entry.is_open)
    return Listing(jobs=[*over, *running, *to_come], damaged=list(content.damaged.values()))


def _as_it_is(queue: QueueFolder, entry: Entry) -> Entry:
    """Return a running entry with its run, and with the state of its run if its study has ended.

    A runner that lives writes the end in the same moment. Without a run the study may be about to start.
    """
    folder = queue.job_folder(entry.job)
    if entry.state != "running" or not (run := run_of(folder)):
        return entry
    return replace(entry, run=run) if goes_on(folder) else as_its_run(queue, entry, time.time())
