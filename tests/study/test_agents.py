from __future__ import annotations

from typing import Any

import pytest

from igen.errors import InputError
from igen.fleet.agent import Agent
from igen.fleet.interrupts import Interrupts
from igen.fleet.machines import machines_of
from igen.fleet.plan import FleetPlan
from igen.study.agents import agents_of, check_agents
from igen.study.levels import expand
from igen.study.study import study_of

CLOSED = {"load": {"closed": {"users": 3}}}
GROWING = {"load": {"open": {"rate_per_s": 5.0}}}


@pytest.mark.parametrize(
    ("job", "agents"),
    [
        (CLOSED, 3),
        ({"load": {"closed": {"users": 1}}}, 1),
        ({"load": {"closed": {"users": 100}}}, 8),
        (GROWING, 8),
        ({"load": {"open": {"rate_per_s": 5.0, "users": 2}}}, 2),
        ({"personas": {"a": CLOSED, "b": CLOSED}}, 6),
        ({"personas": {"a": CLOSED, "b": GROWING}}, 8),
    ],
)
def test_no_agent_is_without_a_user(job: dict[str, Any], agents: int) -> None:
    assert agents_of(job, 8) == agents


@pytest.mark.parametrize(
    ("address", "text"),
    [
        ("tcp://10.0.0.1:6379", "is not the address of a cluster"),
        ("ray://10.0.0.1:10001", "neither token nor TLS: anyone who reaches 10.0.0.1 can run programs"),
    ],
)
def test_a_cluster_that_anybody_can_use_is_refused(
    address: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("RAY_AUTH_MODE", "RAY_USE_TLS"):
        monkeypatch.delenv(name, raising=False)
    with Interrupts() as interrupts, pytest.raises(InputError, match=text):
        machines_of(FleetPlan(agents=2, address=address), Agent().path, interrupts)


def levels_of(job: dict[str, Any]) -> Any:
    study = study_of({"job": job, "fleet": {"agents": 3}}, "s")
    return expand(study, Agent())


def test_a_level_that_agents_can_share_is_checked_with_its_shares() -> None:
    check_agents(3, levels_of({"workload": "noop", **CLOSED}), Agent())


def test_a_file_is_for_one_agent() -> None:
    job = {"workload": "io", "targets": ["file:///tmp/x"], "params": {"size_bytes": "1MiB"}, **CLOSED}
    with pytest.raises(InputError, match="cannot be shared by 3 agents") as caught:
        check_agents(3, levels_of(job), Agent())
    assert caught.value.where == "targets[0]"


def test_a_study_says_its_load_machines() -> None:
    study = study_of({"job": {}, "fleet": {"agents": 2, "on_loss": "continue", "lease": "3s"}}, "s")
    assert study.fleet == FleetPlan(agents=2, on_loss="continue", lease="3s")
    assert study.fleet.lease_s == 3.0


@pytest.mark.parametrize(
    ("fleet", "text"),
    [({"agents": 0}, "fleet.agents"), ({"lease": "soon"}, "soon"), ({"x": 1}, "unknown key `x`")],
)
def test_load_machines_that_make_no_sense_are_refused(fleet: dict[str, Any], text: str) -> None:
    with pytest.raises(InputError, match=text):
        study_of({"job": {}, "fleet": fleet}, "s")
