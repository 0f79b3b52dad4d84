"""Going on with a run of many hours that ended early."""

from __future__ import annotations

from typing import Any

import msgspec

from igen.errors import InputError
from igen.store.active import active_runs
from igen.store.run import Run
from igen.store.store import Store
from igen.study.plan import TorturePlan
from igen.study.study import Study


def resumed(
    reference: str, store: Store, *, torture_s: float | None, force: bool, workload: str | None = None
) -> tuple[Run, Study]:
    """The run that `reference` finds in the store, and its study, which may now last longer.

    That nothing on a device is needed was said of the device that had its name then; after a reboot another
    may have it. So `force` holds as it is said now. Raises `InputError` where it cannot go on, or is not of
    that `workload`.
    """
    run = store.find(reference)
    record = run.read_record()
    if record.mode != "torture":
        raise InputError(f"{run.id} is not a torture", where="resume", hint="only a torture can be resumed")
    if run.id in active_runs(store.path):
        raise InputError(f"{run.id} is going on", where="resume", hint="`igen stop` ends it")
    known = Study.__struct_fields__
    described: dict[str, Any] = {name: value for name, value in record.study.items() if name in known}
    study = msgspec.convert(described, Study)
    if workload not in (None, study.job.get("workload")):
        raise InputError(f"{run.id} ran the workload `{study.job.get('workload')}`", where="workload")
    if torture_s is not None and (plan := TorturePlan(torture_s)) != study.plan:
        study = msgspec.structs.replace(study, plan=plan)
        run.write_record(msgspec.structs.replace(record, study=msgspec.to_builtins(study)))
    job = {name: value for name, value in study.job.items() if name != "force"}
    return run, msgspec.structs.replace(study, job=job | ({"force": True} if force else {}))
