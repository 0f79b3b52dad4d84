"""Checks before runs are compared."""

from __future__ import annotations

from collections.abc import Sequence

from igen.errors import InputError
from igen.store.run import Run


def check_comparable(runs: Sequence[Run], references: Sequence[str]) -> None:
    """Raises `InputError` for a run that is named twice, and for runs of which nothing can be compared.

    `references` are what the user calls them.
    """
    for number, run in enumerate(runs):
        if run.folder.resolve() in [other.folder.resolve() for other in runs[:number]]:
            hint = "name a different run; `igen list runs` lists them"
            raise InputError(
                f"`{references[number]}` is {run.id}, which is given twice", where="RUN", hint=hint
            )
    base, *others = [str(run.read_record().study.get("job", {}).get("workload", "")) for run in runs]
    different = [workload for workload in others if workload != base]
    if different and len(different) == len(others):
        hint = "compare runs of one workload; `igen show RUN` shows one run"
        names = " and ".join([base, *dict.fromkeys(different)])
        raise InputError(f"the runs have different workloads: {names}", where="RUN", hint=hint)
