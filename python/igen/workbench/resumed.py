"""Going on with a run that ended early: by Ctrl-C, by the death of its process or of its machine."""

from __future__ import annotations

from typing import Any

import msgspec

from igen.errors import InputError
from igen.store.active import active_runs
from igen.store.run import Run, RunRecord
from igen.store.store import Store
from igen.study.plan import TorturePlan
from igen.study.study import Study, workloads_of
from igen.version import VERSION


def resumed(
    reference: str, store: Store, *, torture_s: float | None, force: bool, workload: str | None = None
) -> tuple[Run, Study]:
    """The run that `reference` finds in the store, and its study; a torture may now last longer.

    That nothing on a device is needed was said of the device that had its name then; after a reboot another
    may have it. So `force` holds as it is said now. Raises `InputError` where it cannot go on, or is not of
    that `workload`.
    """
    run = store.find(reference)
    record = run.read_record()
    if run.id in active_runs(store.path):
        raise InputError(f"{run.id} is going on", where="resume", hint="`igen stop` ends it")
    if record.mode != "torture":
        _check_can_go_on(record, torture_s)
    known = Study.__struct_fields__
    described: dict[str, Any] = {name: value for name, value in record.study.items() if name in known}
    study = msgspec.convert(described, Study)
    workloads = workloads_of(study)
    if workload is not None and workloads and workload not in workloads:
        raise InputError(f"{run.id} ran the workload `{'`, `'.join(workloads)}`", where="workload")
    if torture_s is not None and (plan := TorturePlan(torture_s)) != study.plan:
        study = msgspec.structs.replace(study, plan=plan)
        run.write_record(msgspec.structs.replace(record, study=msgspec.to_builtins(study)))
    job = {name: value for name, value in study.job.items() if name != "force"}
    return run, msgspec.structs.replace(study, job=job | ({"force": True} if force else {}))


def _check_can_go_on(record: RunRecord, torture_s: float | None) -> None:
    """Refuses what would not be the rest of the same study. Raises `InputError`."""
    if torture_s is not None:
        raise InputError(f"{record.run} is no torture", where="torture", hint="leave --torture out")
    if record.outcome == "complete":
        hint = f"`igen show {record.run}` shows it; measure anew for more"
        raise InputError(f"{record.run} is complete", where="resume", hint=hint)
    if record.igen_version != VERSION:
        text = f"{record.run} was begun by igen {record.igen_version or 'of another version'}"
        hint = f"this is {VERSION}, whose load may be another: measure anew"
        raise InputError(text, where="resume", hint=hint)
