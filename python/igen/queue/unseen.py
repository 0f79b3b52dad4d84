"""Jobs whose runner was killed: the run in the store says how they ended."""

from __future__ import annotations

from igen.errors import IgenError
from igen.queue.entry import Entry
from igen.queue.folder import QueueFolder
from igen.queue.steps import ended_unseen
from igen.queue.study_process import run_of
from igen.store.active import active_runs
from igen.store.catalog import is_run_folder
from igen.store.run import Run
from igen.store.state import RunState, state_of


def as_its_run(queue: QueueFolder, entry: Entry, now_unix_s: float) -> Entry:
    """Return an entry whose study has ended with the state of its run in the store."""
    run = run_of(queue.job_folder(entry.job))
    return ended_unseen(entry, _state(queue, run), now_unix_s, run=run)


def _state(queue: QueueFolder, name: str) -> RunState | None:
    store = queue.path.parent
    if not name or not is_run_folder(store / name):
        return None
    run = Run(store / name)
    try:
        return state_of(run, run.read_record(), active_runs(store))
    except IgenError:
        return "unknown"
