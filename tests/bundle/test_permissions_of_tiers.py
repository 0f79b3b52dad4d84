"""A study of others reads no other machine, wherever it names one."""

from __future__ import annotations

import pytest

from igen.bundle.permissions import what_it_does, without_permissions
from igen.errors import InputError
from igen.fleet.agent import Agent
from igen.study.planned import planned_levels
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
            axes={"tiers": [[THERE], [HERE]], "load.closed.users": [1]},
        )
    )
    assert study.job["tiers"] == study.systems[0].job["tiers"] == study.tests[0].job["tiers"] == [HERE]
    assert study.axes == {"tiers": [[], [HERE]], "load.closed.users": [1]}
    assert not [line for line in what_it_does(study) if "db1" in line.text]


def test_a_machine_at_an_odd_place_is_refused() -> None:
    study = without_permissions(
        Study(name="x", job={"workload": "noop"}, axes={"tiers.0.host": ["ssh://db1"]})
    )
    assert [each.kind for line in what_it_does(study) for each in line.dangers] == ["unknown"]
    with pytest.raises(InputError):
        planned_levels(study, Agent())
