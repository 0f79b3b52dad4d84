"""State of a watched run: from the store, even if its folder is gone or unreadable."""

from __future__ import annotations

from typing import Literal

from igen.errors import IgenError
from igen.store.active import active_runs
from igen.store.run import Run
from igen.store.state import RunState, state_of

State = RunState | Literal["deleted"]
GOES_ON: tuple[State, ...] = ("running", "unknown")


def state_of_run(run: Run) -> State:
    """Return the current state."""
    if not run.folder.is_dir():
        return "deleted"
    try:
        return state_of(run, run.read_record(), active_runs(run.folder.parent))
    except IgenError:
        return "unknown"
