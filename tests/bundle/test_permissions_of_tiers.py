"""A study of others reads no other machine, wherever it names one."""

from __future__ import annotations

from igen.bundle.permissions import what_it_does, without_permissions
from igen.study.study import Study, StudySystem, StudyTest

HERE = {"name": "web", "match": {"process": "nginx"}}
THERE = {"name": "db", "host": "ssh://db1", "match": {"process": "postgres"}}


def test_machines_are_left_out_wherever_they_are_named() -> None:
    job = {"tiers": [HERE, THERE]}
    study = without_permissions(
        Study(
            name="x",
            job={"workload": "http", **job},
            systems=[StudySystem(name="a", job=job)],
            tests=[StudyTest(name="t", job=job)],
            axes={"tiers": [[THERE], [HERE]], "tiers.0.host": ["ssh://db1"], "load.closed.users": [1]},
        )
    )
    assert study.job["tiers"] == study.systems[0].job["tiers"] == study.tests[0].job["tiers"] == [HERE]
    assert study.axes == {"tiers": [[], [HERE]], "load.closed.users": [1]}
    assert not [line for line in what_it_does(study) if "db1" in line]
