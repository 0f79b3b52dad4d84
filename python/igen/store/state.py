"""State of a run in a word: from its lock, its record, its jobs, and the host that asks."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Set
from typing import Any, Literal

from igen.errors import Interrupted
from igen.store.job_file import read_host, read_job_ends
from igen.store.run import Run, RunRecord

RunState = Literal["running", "complete", "interrupted", "failed", "cut off", "unknown"]
"""`failed`: a job failed. `cut off`: its process ended without a word. `unknown`: it has no end, and nothing
says that it was begun on this host; locks of another one may not be seen here."""
OF_THIS_HOST: tuple[RunState, ...] = ("cut off", "unknown")
"""States that another host may see differently."""

JobEnd = dict[str, Any] | None
"""Body of a job's last line; None for a job without one."""


def state_of(run: Run, record: RunRecord, active: Set[str], ends: Iterable[JobEnd] | None = None) -> RunState:
    """`active` are the runs of its store that go on; `ends` are read where they are needed and not given.

    Raises `IgenError` where a job's file cannot be read.
    """
    if run.id in active:
        return "running"
    if record.outcome in ("interrupted", "failed"):
        return record.outcome
    if record.outcome == "begun":
        return _without_end(run, record)
    every = list(ends if ends is not None else (read_job_ends(path)[1] for path in run.job_paths()))
    known = [end for end in every if end is not None]
    if not known or len(known) < len(every):
        # Where the record says how the run ended, no process of any host goes on with it.
        return "cut off" if record.outcome else _without_end(run, record)
    if any(end.get("interrupted") or end.get("exit_code") == Interrupted.exit_code for end in known):
        return "interrupted"
    return "failed" if any(end.get("exit_code") or end.get("signal") for end in known) else "complete"


def _without_end(run: Run, record: RunRecord) -> RunState:
    host = record.host or next(filter(None, map(read_host, run.job_paths())), "")
    return "cut off" if host == socket.gethostname() else "unknown"
