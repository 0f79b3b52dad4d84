"""What a study of somebody else asks for is shown, and what only a user may permit is taken from it."""

from __future__ import annotations

import msgspec
import pytest

from igen.bundle.permissions import (
    OF_THE_USER,
    secrets_of,
    what_it_does,
    with_secrets,
    without_permissions,
)
from igen.dangers.find import all_dangers
from igen.errors import InputError
from igen.fleet.plan import FleetPlan
from igen.study.study import Study, study_of
from tests.dangers.test_find import ATTACKS

STUDY = study_of(
    {
        "job": {
            "workload": "http",
            "targets": ["http://web.lab"],
            "force": True,
            "i_own_this_data": True,
            "params": {"i_may_load": ["web.lab"], "path": "/"},
        },
        "systems": [{"name": "b", "job": {"force": True, "params": {"i_may_load": ["x"]}}}],
        "axes": {"force": [True], "load.closed.users": [1, 2]},
    },
    "web",
)


def test_permissions_are_taken_away_everywhere() -> None:
    study = without_permissions(STUDY)
    assert study.job == {"workload": "http", "targets": ["http://web.lab"], "params": {"path": "/"}}
    assert study.systems[0].job == {"params": {}}
    assert study.axes == {"load.closed.users": [1, 2]}


def test_all_that_it_does_is_shown() -> None:
    lines = [*what_it_does(without_permissions(STUDY))]
    assert [line.text for line in lines] == [
        "web: workload http, sweep",
        'targets = ["http://web.lab"]',
        "params.path = /",
        "load.closed.users = 1, 2",
    ]
    assert [[each.kind for each in line.dangers] for line in lines] == [[], ["host"], [], []]


@pytest.mark.parametrize("name", ATTACKS)
def test_each_danger_that_is_left_is_on_one_line(name: str) -> None:
    _, table = ATTACKS[name]
    try:
        study = study_of(table, "attack")
    except InputError:
        return
    kinds = {each.kind for each in all_dangers(table)} - {*OF_THE_USER}
    left = without_permissions(study)
    assert {each.kind for line in what_it_does(left) for each in line.dangers} == kinds
    assert len(all_dangers(msgspec.to_builtins(left))) == sum(
        len(line.dangers) for line in what_it_does(left)
    )


def test_a_danger_cannot_hide_its_mark() -> None:
    study = study_of({"job": {"workload": "command", "params": {"run": "x" * 10_000 + "\n"}}}, "x")
    lines = [str(line) for line in what_it_does(study)]
    assert all(line.startswith("! ") for line in lines)
    assert all(line.isprintable() for line in lines)


def test_each_secret_is_the_users_own() -> None:
    scenario = {"secrets": {"k": "file:/etc/shadow"}}
    study = study_of(
        {
            "job": {"workload": "web", "params": {"scenario": scenario}},
            "systems": [{"name": "a", "job": {"params": {"scenario": {"secrets": {"other": "env:IGEN_X"}}}}}],
            "axes": {"params.scenario.secrets.k": ["env:IGEN_A", "env:IGEN_B"]},
        },
        "web",
    )
    assert secrets_of([study]) == {
        "k": ["job.params.scenario.secrets.k", "axes.params.scenario.secrets.k"],
        "other": ["systems[0].job.params.scenario.secrets.other"],
    }
    for given in ({}, {"k": "env:IGEN_MINE"}):
        with pytest.raises(InputError):
            with_secrets(study, given)
    found = with_secrets(study, {"k": "env:IGEN_MINE", "other": "file:/mine"})
    assert found.job["params"]["scenario"]["secrets"] == {"k": "env:IGEN_MINE"}
    assert found.systems[0].job["params"]["scenario"]["secrets"] == {"other": "file:/mine"}
    assert {*found.axes["params.scenario.secrets.k"]} == {"env:IGEN_MINE"}


def test_names_and_passwords_in_a_file_are_a_secret() -> None:
    study = study_of({"job": {"workload": "ldap-bind", "params": {"keys": "@/home/you/people.ldif"}}}, "x")
    assert secrets_of([study]) == {"keys": ["job.params.keys"]}


def test_permissions_of_personas_and_of_tables_are_taken_away_too() -> None:
    study = study_of(
        {
            "job": {"workload": "http", "personas": {"a": {"params": {"i_may_load": ["x"], "path": "/"}}}},
            "axes": {
                "personas.a.params.i_may_load": [["x"]],
                "params": [{"i_may_load": ["x"], "path": "/"}],
                "load.closed.users": [1],
            },
        },
        "web",
    )
    found = without_permissions(study)
    assert found.job == {"workload": "http", "personas": {"a": {"params": {"path": "/"}}}}
    assert found.axes == {"params": [{"path": "/"}], "load.closed.users": [1]}


def test_a_value_of_others_never_looks_like_a_line_of_ours() -> None:
    study = study_of({"job": {"workload": "http", "params": {"path": "/\n  targets = none\x1b[2J"}}}, "web")
    lines = [str(line) for line in what_it_does(study)]
    assert len(lines) == 2
    assert all(line.isprintable() for line in lines)


def test_a_foreign_study_runs_on_this_machine_whatever_cluster_it_names() -> None:
    fleet = FleetPlan(agents=3, address="ray://10.0.0.1:10001", insecure=True)
    study = without_permissions(Study(name="s", job={"workload": "noop"}, fleet=fleet))
    assert study.fleet == FleetPlan(agents=3)
    assert "fleet.agents = 3" in [line.text for line in what_it_does(study)]
