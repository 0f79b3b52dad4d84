"""What state a watched run is in, in a word, from its lock and its record."""

from __future__ import annotations

import socket
from typing import Literal

from igen.errors import IgenError
from igen.store.active import active_runs
from igen.store.run import Run

State = Literal["running", "complete", "interrupted", "failed", "cut off", "unknown", "deleted"]
"""`unknown`: it was begun on another host, whose locks may not be seen here."""
GOES_ON: tuple[State, ...] = ("running", "unknown")


def state_of_run(run: Run, host: str = "") -> State:
    """`host` is where the run's agent says that it is; empty where it has not said so."""
    if not run.folder.is_dir():
        return "deleted"
    if run.id in active_runs(run.folder.parent):
        return "running"
    try:
        outcome = run.read_record().outcome
    except IgenError:
        return "unknown"
    match outcome:
        case "complete" | "interrupted" | "failed":
            return outcome
        case "begun" if host and host != socket.gethostname():
            return "unknown"
        case "begun":
            return "cut off"
        case _:
            # Releases that wrote no outcome have long ended.
            return "complete"
