"""Agents on the nodes of a cluster: what holds for the processes of one machine holds there."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from igen.errors import IgenError, InputError
from igen.fleet.agent import Agent
from igen.fleet.interrupts import Interrupts
from igen.fleet.local import Command
from igen.fleet.machines import machines_of
from igen.fleet.plan import FleetPlan, OnLoss
from igen.fleet.ray import Quiet
from igen.fleet.together import Together
from tests.fleet.test_processes import JOB, RATE_PER_S, Heard, run

ray = pytest.importorskip("ray", reason="Ray is not installed: the extra `cluster` brings it")
pytestmark = pytest.mark.xdist_group("ray")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Three nodes, all on this machine; processes find them by RAY_ADDRESS."""
    os.environ["RAY_AUTH_MODE"] = "disabled"
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    node = {"num_cpus": 1, "object_store_memory": 256 << 20, "include_dashboard": False}
    nodes = Cluster(initialize_head=True, head_node_args=node)
    try:
        for _ in range(2):
            nodes.add_node(num_cpus=1, object_store_memory=256 << 20)
        os.environ["RAY_ADDRESS"] = nodes.address
        yield nodes
    finally:
        os.environ.pop("RAY_ADDRESS", None)
        nodes.shutdown()


def test_a_job_is_done_by_three_nodes(cluster: Any) -> None:
    heard = Heard()
    assert run(3, heard, address="auto", phases=JOB["phases"] | {"extendable": True}).ok
    assert [snapshot["users"] for snapshot in heard.measured()] == [6] * 12
    due = sum(snapshot["arrivals"]["due"] for snapshot in heard.measured())
    # The load goes on until an answer arrives, which takes its time where the machine is busy.
    assert 1.1 * RATE_PER_S <= due <= 2.4 * RATE_PER_S
    assert heard.fact("fleet.agents") == 3
    assert all(abs(offset_s) < 1.0 for offset_s in heard.fact("fleet.clock_offsets_s"))
    assert heard.of_kind("end")[0]["outcome"] == "complete"


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
@pytest.mark.parametrize(("on_loss", "left"), [("fail", 3), ("redistribute", 2)])
def test_an_agent_that_dies_or_falls_silent_is_lost(
    cluster: Any, how: int, on_loss: OnLoss, left: int
) -> None:
    heard = Heard(after=4, victim=0, how=how)
    exit = run(3, heard, on_loss, address="auto", phases=JOB["phases"] | {"measure_s": 4.0})
    (lost,) = heard.fact("fleet.lost")
    assert lost.startswith("agent 2 of 3 on ")
    assert len(heard.left) == left
    assert exit.ok == (on_loss != "fail")


def test_a_node_whose_daemon_dies_is_lost(cluster: Any, capsys: pytest.CaptureFixture[str]) -> None:
    victim = next(iter(cluster.worker_nodes))

    class KillsDaemon(Heard):
        def event(self, event: dict[str, Any]) -> Command | None:
            answer = super().event(event)
            if "snapshot" in event and len(self.of_kind("snapshot")) == 4:
                victim.kill_raylet()
            return answer

    heard = KillsDaemon()
    try:
        exit = run(3, heard, "redistribute", address="auto", phases=JOB["phases"] | {"measure_s": 9.0})
    finally:
        cluster.remove_node(victim, allow_graceful=False)
        cluster.add_node(num_cpus=1, object_store_memory=256 << 20)
    assert exit.ok
    assert len(heard.fact("fleet.lost")) == 1
    assert len(heard.left) == 2
    assert len(heard.measured()) == 90, "the others go on to the end"
    assert capsys.readouterr().out == "", "that is where documents go"


@pytest.mark.parametrize(("on_loss", "again"), [("fail", False), ("redistribute", True)])
def test_a_node_that_dies_between_two_levels_costs_one_and_no_study(
    cluster: Any, on_loss: OnLoss, again: bool
) -> None:
    agent, victim = Agent(), next(iter(cluster.worker_nodes))
    job = agent.check(JOB)
    plan = FleetPlan(agents=3, on_loss=on_loss, address="auto", insecure=True)
    levels = [Heard(), Heard(), Heard()]
    try:
        with Interrupts() as interrupts, closing(machines_of(plan, agent.path, interrupts)) as machines:
            together = Together(plan, machines, interrupts)
            ended_well = []
            for heard in levels:
                ended_well.append(together.run(job, len(together.agents), heard).ok)
                if heard is levels[0]:
                    victim.kill_raylet()
    finally:
        cluster.remove_node(victim, allow_graceful=False)
        cluster.add_node(num_cpus=1, object_store_memory=256 << 20)
    assert ended_well == [True, False, again]
    (error,) = levels[1].of_kind("error")
    assert "was lost: its machine " in error["text"]
    if again:
        assert levels[2].fact("fleet.agents") == 2


def test_ray_has_what_igen_holds_back() -> None:
    assert callable(getattr(ray._private.worker, Quiet.PRINTS))


def test_an_interrupt_stops_all_agents(cluster: Any) -> None:
    heard = Heard(after=5, how=signal.SIGINT)
    exit = run(2, heard, address="auto", phases=JOB["phases"] | {"measure_s": 3600.0})
    assert (exit.interrupted, exit.exit_code) == (True, 130)


def test_a_cluster_with_too_few_nodes_is_refused(cluster: Any) -> None:
    with pytest.raises(InputError, match="the cluster has 3 nodes, but each of 4 agents needs its own node"):
        run(4, Heard(), address="auto")


def test_no_cluster_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(IgenError, match="there is no cluster at `auto`"):
        run(2, Heard(), address="auto")
