"""What a study of somebody else asks for is shown, and what only a user may permit is taken from it."""

from __future__ import annotations

from igen.bundle.permissions import what_it_does, without_permissions
from igen.fleet.plan import FleetPlan
from igen.study.study import Study, study_of

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
    assert [*what_it_does(without_permissions(STUDY))] == [
        "web: workload http, sweep",
        '  targets = ["http://web.lab"]',
        "  params.path = /",
        "  load.closed.users = 1, 2",
    ]


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
    lines = [*what_it_does(study)]
    assert len(lines) == 2
    assert all(line.isprintable() for line in lines)


def test_a_foreign_study_runs_on_this_machine_whatever_cluster_it_names() -> None:
    fleet = FleetPlan(agents=3, address="ray://10.0.0.1:10001", insecure=True)
    study = without_permissions(Study(name="s", job={"workload": "noop"}, fleet=fleet))
    assert study.fleet == FleetPlan(agents=3)
    assert "  fleet.agents = 3" in list(what_it_does(study))
