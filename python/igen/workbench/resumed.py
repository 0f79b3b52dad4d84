"""Resume of a run that ended early: by Ctrl-C, by a crash of its process or of its machine."""

from __future__ import annotations

from typing import Any

import msgspec

from igen.errors import InputError
from igen.first_use import ready
from igen.store.active import active_runs, going_on
from igen.store.run import Run
from igen.store.store import Store
from igen.study.going_on import check_can_go_on
from igen.study.plans import plan_type
from igen.study.study import Study, workloads_of


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
    if run.id in active_runs(run.folder.parent):
        raise going_on(run.id)
    lasting = None if torture_s is None else plan_type(record.mode).lasting(torture_s)
    if torture_s is not None and lasting is None:
        raise InputError(f"{record.run} is not a torture run", where="torture", hint="leave --torture out")
    check_can_go_on(record)
    known = Study.__struct_fields__
    described: dict[str, Any] = {name: value for name, value in record.study.items() if name in known}
    study = msgspec.convert(described, ready(Study))
    workloads = workloads_of(study)
    if workload is not None and workloads and workload not in workloads:
        raise InputError(f"{run.id} ran the workload `{'`, `'.join(workloads)}`", where="workload")
    if lasting is not None and lasting != study.plan:
        study = msgspec.structs.replace(study, plan=lasting)
        run.write_record(msgspec.structs.replace(record, study=msgspec.to_builtins(study)))
    return run, _without_force(study, force=force)


def _without_force(study: Study, *, force: bool) -> Study:
    """Return the study with the new `force` in place of any `force` of the study, its systems and tests."""
    systems = [msgspec.structs.replace(each, job=_unforced(each.job)) for each in study.systems]
    tests = [msgspec.structs.replace(each, job=_unforced(each.job)) for each in study.tests]
    job = _unforced(study.job) | ({"force": True} if force else {})
    axes = {path: values for path, values in study.axes.items() if path != "force"}
    return msgspec.structs.replace(study, job=job, systems=systems, tests=tests, axes=axes)


def _unforced(job: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in job.items() if name != "force"}
