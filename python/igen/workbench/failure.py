"""Errors of a study that ended early."""

from __future__ import annotations

from igen.errors import Interrupted
from igen.study.runner import Outcome
from igen.study.study import Study, workloads_of


def interrupted(outcome: Outcome, study: Study, *, measured: bool) -> Interrupted:
    """Return the error after Ctrl-C; it repeats an earlier error, because `--quiet` hid that one."""
    kept = "; results so far are kept" if measured else " before anything was measured"
    error = outcome.error
    failed = f"; before that: {f'{error.where}: ' if error.where else ''}{error.text}" if error else ""
    workload = next(iter(workloads_of(study)), "WORKLOAD")
    go_on = f"`igen run {workload} --resume {outcome.run.id}` continues it"
    shows = f"`igen show {outcome.run.id}` shows it, and " if measured else ""
    hint = f"{shows}{go_on}" if study.plan.goes_on(measured=measured, resumed=True) else ""
    return Interrupted(f"interrupted{kept}{failed}", hint=hint)
