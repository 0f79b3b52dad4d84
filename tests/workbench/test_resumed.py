"""Whose run it is that goes on: told by the workloads of its study, wherever they stand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from igen.errors import InputError
from igen.store.run import Run
from igen.store.store import Store
from igen.study.runner import Outcome
from igen.study.study import Study, StudySystem, StudyTest, workloads_of
from igen.workbench.failure import interrupted
from igen.workbench.resumed import resumed

FORCED = {"force": True, "workload": "noop"}
OF_SYSTEMS = Study(
    name="both",
    job={"load": {"closed": {"users": 1}}},
    systems=[
        StudySystem(name="a", job={"workload": "noop"}),
        StudySystem(name="b", job={"workload": "model"}),
    ],
)


def begun(store: Store, study: Study) -> Run:
    fields: dict[str, Any] = msgspec.to_builtins(study)
    return store.create_run(name=study.name, system="here", title="", study=fields)


@pytest.mark.parametrize(
    ("study", "workloads"),
    [
        (Study(name="cpu", job={"workload": "cpu"}), ["cpu"]),
        (OF_SYSTEMS, ["noop", "model"]),
    ],
    ids=["of the job", "of systems"],
)
def test_each_workload_of_a_study_names_its_run(tmp_path: Path, study: Study, workloads: list[str]) -> None:
    store = Store(tmp_path)
    run = begun(store, study)
    assert workloads_of(study) == workloads
    for workload in (None, *workloads):
        found, again = resumed(run.id, store, torture_s=None, force=False, workload=workload)
        assert (found.id, again) == (run.id, study)
    named = "`, `".join(workloads)
    with pytest.raises(InputError, match=f"ran the workload `{named}`"):
        resumed(run.id, store, torture_s=None, force=False, workload="mem")
    told = interrupted(Outcome(run=run), study, measured=True)
    assert f"`igen run {workloads[0]} --resume {run.id}` continues it" in told.hint
    assert not interrupted(Outcome(run=run), study, measured=False).hint


@pytest.mark.parametrize("force", [False, True])
def test_force_holds_as_it_is_said_now(tmp_path: Path, force: bool) -> None:
    store = Store(tmp_path)
    study = Study(
        name="forced",
        job=FORCED,
        axes={"force": [True], "load.closed.users": [1]},
        systems=[StudySystem(name="a", job=FORCED), StudySystem(name="b", job=FORCED)],
        tests=[StudyTest(name="t", job=FORCED)],
    )
    _, again = resumed(begun(store, study).id, store, torture_s=None, force=force)
    assert again.job.get("force", False) is force
    parts = [*again.systems, *again.tests]
    assert [part.job for part in parts] == [{"workload": "noop"}] * 3
    assert again.axes == {"load.closed.users": [1]}
