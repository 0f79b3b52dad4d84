"""Stop of a run, as by Ctrl-C: its results are kept."""

from __future__ import annotations

import os
import signal
import time

from igen.errors import IgenError, InputError
from igen.store.active import active_runs, process_of
from igen.store.run import Run
from igen.store.store import Store

PATIENCE_S = 60.0
"""Longest time to end a run: started transactions finish, and the result is judged."""
_LOOK_S = 0.05


def stop(reference: str, store: Store, *, patience_s: float = PATIENCE_S) -> Run:
    """Interrupts the run that `reference` finds in the store, and returns it when it has ended.

    A second call while it is ending ends it at once. Raises `InputError` where it is not going on, or not on
    this machine, and `IgenError` where it may not be stopped or goes on for longer than `patience_s`.
    """
    run = _going_on(reference, store)
    process = process_of(store.path, run.id)
    try:
        descriptor = process.opened() if process is not None else None
        if descriptor is None:
            if run.id not in active_runs(store.path):
                return run
            hint = "stop it on the machine that started it, by Ctrl-C or `igen stop`"
            raise InputError(f"{run.id} is not running on this machine", where="RUN", hint=hint)
        try:
            signal.pidfd_send_signal(descriptor, signal.SIGINT)
        except ProcessLookupError:
            return run
        finally:
            os.close(descriptor)
    except PermissionError as error:
        hint = "ask its owner, or root"
        raise IgenError(f"you have no permission to stop {run.id}", where="RUN", hint=hint) from error
    deadline_s = time.monotonic() + patience_s
    while run.id in active_runs(store.path):
        if time.monotonic() > deadline_s:
            hint = f"repeat `igen stop {run.id}` to end it at once"
            raise IgenError(f"{run.id} is still ending", where="RUN", hint=hint)
        time.sleep(_LOOK_S)
    return run


def _going_on(reference: str, store: Store) -> Run:
    """Return the active run with this reference; `last` and a name are the latest active run."""
    active = active_runs(store.path)
    if reference in active:
        return Run(store.path / reference)
    rows = [row for row in store.list_runs() if row.run in active]
    found = (
        rows[-1:]
        if reference == "last"
        else [row for row in rows if row.system == reference][-1:]
        or [row for row in rows if row.run.startswith(reference)]
    )
    if len(found) == 1:
        return Run(store.path / found[0].run)
    going_on = ", ".join(row.run for row in rows) or "no run is active in this store"
    if found:
        text = f"`{reference}` matches {len(found)} active runs"
        raise InputError(text, where="RUN", hint=f"active runs: {going_on}")
    if reference != "last":
        run = store.find(reference)
        hint = f"active runs: {going_on}" if rows else going_on
        raise InputError(f"{run.id} is not running", where="RUN", hint=hint)
    raise InputError("no run is active", where="RUN", hint="`igen list runs` shows the state of all runs")
