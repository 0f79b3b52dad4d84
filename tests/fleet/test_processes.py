"""Several agents on this machine do one job: the real program, and one that stands in where it must fail."""

from __future__ import annotations

import os
import signal
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

from igen.fleet.agent import Agent
from igen.fleet.interrupts import Interrupts
from igen.fleet.local import Command, JobExit
from igen.fleet.machines import machines_of
from igen.fleet.plan import LOCAL, FleetPlan, OnLoss
from igen.fleet.processes import Processes
from igen.fleet.together import Together

RATE_PER_S = 300
JOB: dict[str, Any] = {
    "workload": "model",
    "params": {"service": "deterministic", "service_time": 0.002, "servers": 6},
    "load": {"open": {"rate_per_s": RATE_PER_S, "arrivals": "constant", "users": 6}},
    "phases": {"warmup_s": 0.2, "measure_s": 1.0, "drain_s": 2.0, "interval_s": 0.1},
    "monitors": [],
}


class Heard:
    """Keeps what the agents say together; after so many events of a kind it signals itself or an agent."""

    def __init__(
        self,
        *,
        after: int = 0,
        kind: str = "snapshot",
        victim: int | None = None,
        how: int = signal.SIGKILL,
    ) -> None:
        self.events: list[dict[str, Any]] = []
        self.lines: list[bytes] = []
        self._after, self._kind, self._victim, self._how = after, kind, victim, how
        self.left: list[int] = []
        """Agents that take part in what comes next."""
        self._answers: list[Command] = [{"extend": {"measure_s": 0.2}}, "finish"]

    def line(self, line: bytes) -> None:
        self.lines.append(line)

    def event(self, event: dict[str, Any]) -> Command | None:
        self.events.append(event)
        if self._kind in event and len(self.of_kind(self._kind)) == self._after:
            beside = self.fact("fleet.process_ids")
            os.kill(os.getpid() if self._victim is None else beside[self._victim], self._how)
        return self._answers.pop(0) if "measured" in event else None

    def of_kind(self, kind: str) -> list[Any]:
        return [event[kind] for event in self.events if kind in event]

    def fact(self, name: str) -> Any:
        return {fact["name"]: fact["value"] for fact in self.of_kind("fact")}.get(name)

    def measured(self) -> list[dict[str, Any]]:
        return [snapshot for snapshot in self.of_kind("snapshot") if snapshot["phase"] == "measure"]


def run(agents: int, heard: Heard, on_loss: OnLoss = "fail", *, address: str = LOCAL, **over: Any) -> JobExit:
    agent = Agent()
    plan = FleetPlan(agents=agents, on_loss=on_loss, address=address, insecure=True)
    with Interrupts() as interrupts, closing(machines_of(plan, agent.path, interrupts)) as machines:
        together = Together(plan, machines, interrupts)
        exit = together.run(agent.check({**JOB, **over}), agents, heard)
        heard.left = together.agents
        return exit


@pytest.mark.parametrize("agents", [1, 3])
def test_a_job_is_the_same_for_one_agent_and_for_three(agents: int) -> None:
    heard = Heard()
    extendable = JOB["phases"] | {"extendable": True}
    assert run(agents, heard, phases=extendable).ok
    assert len(heard.measured()) == 12, "with the extension"
    assert [snapshot["users"] for snapshot in heard.measured()] == [6] * 12
    # Each arrival of the plan comes once; a late look at either end may count some more or fewer.
    due = sum(snapshot["arrivals"]["due"] for snapshot in heard.measured())
    assert due == pytest.approx(1.2 * RATE_PER_S, abs=0.1 * RATE_PER_S)
    phases = [phase["phase"] for phase in heard.of_kind("phase")]
    assert [phase for phase in phases if phase != "verify"] == ["prepare", "warmup", "measure", "drain"]
    assert len(heard.of_kind("hello")) == len(heard.of_kind("ready")) == len(heard.of_kind("end")) == 1
    assert heard.of_kind("hello")[0]["job"]["load"] == JOB["load"]
    assert heard.of_kind("end")[0]["outcome"] == "complete"
    assert [msgspec.json.decode(line)["seq"] for line in heard.lines] == [*range(len(heard.lines))]
    snapshots = heard.of_kind("snapshot")
    assert all(a["end_s"] == b["start_s"] for a, b in pairwise(snapshots))
    assert heard.fact("fleet.agents") == agents
    assert heard.fact("fleet.began_together") is True
    assert heard.fact("fleet.clock_errors_s") == [0.0] * agents


def test_what_is_loaded_is_loaded_once_and_removed_when_all_have_ended(tmp_path: Path) -> None:
    heard = Heard()
    database = tmp_path / "shop.db"
    job = {
        "workload": "oltp",
        "targets": [f"sqlite:///{database}"],
        "params": {"customers": 200},
        "load": {"closed": {"users": 4, "think_time_s": 0.01}},
        "steps": ["prepare", "verify", "measure", "cleanup"],
    }
    assert run(2, heard, **job).ok
    assert not database.exists()
    phases = [phase["phase"] for phase in heard.of_kind("phase")]
    assert (phases.count("prepare"), phases.count("cleanup"), phases[-1]) == (1, 1, "cleanup")
    assert sum(snapshot["transactions"]["count"] for snapshot in heard.measured()) > 0


@pytest.mark.parametrize(
    ("how", "on_loss", "left"),
    [
        (signal.SIGKILL, "redistribute", 2),
        (signal.SIGSTOP, "continue", 3),
        (signal.SIGKILL, "fail", 3),
        # What befalls an agent and what follows from it are two parts: the pairs above have each of them.
        pytest.param(signal.SIGSTOP, "redistribute", 2, marks=pytest.mark.slow),
        pytest.param(signal.SIGKILL, "continue", 3, marks=pytest.mark.slow),
        pytest.param(signal.SIGSTOP, "fail", 3, marks=pytest.mark.slow),
    ],
)
def test_an_agent_that_dies_or_falls_silent_is_lost(how: int, on_loss: OnLoss, left: int) -> None:
    heard = Heard(after=4, victim=0, how=how)
    exit = run(3, heard, on_loss, phases=JOB["phases"] | {"measure_s": 4.0})
    (lost,) = heard.fact("fleet.lost")
    assert lost.startswith("agent 2 of 3 on ")
    assert len(heard.left) == left
    assert exit.ok == (on_loss != "fail")
    users = [snapshot["users"] for snapshot in heard.of_kind("snapshot")]
    # Those that are left may hear of the end of a level one after the other.
    assert set(users[4:-1]) <= ({2, 4, 6} if on_loss == "fail" else {4, 6})
    if on_loss != "fail":
        assert len(heard.measured()) == 40, "the others go on to the end"
        assert users[-2] == 4, "with their own users"


@pytest.mark.parametrize("answered", [1, 2])
def test_an_agent_that_falls_silent_before_an_answer_is_lost(answered: int) -> None:
    """The first answer is to measure on, the second to drain."""
    heard = Heard(after=answered, kind="measured", victim=0, how=signal.SIGSTOP)
    phases = JOB["phases"] | {"extendable": True, "drain_s": 0.2}
    assert run(3, heard, "continue", phases=phases).ok
    (lost,) = heard.fact("fleet.lost")
    assert lost.startswith("agent 2 of 3 on ")
    assert len(heard.measured()) == 12, "the others go on to the end"


def test_an_interrupt_stops_all_agents_and_keeps_what_was_measured() -> None:
    heard = Heard(after=5, how=signal.SIGINT)
    exit = run(3, heard, phases=JOB["phases"] | {"measure_s": 3600.0})
    assert (exit.interrupted, exit.error, exit.exit_code) == (True, None, 130)
    assert heard.of_kind("end")[0]["outcome"] == "interrupted"
    assert len(heard.measured()) >= 3


def test_an_agent_that_refuses_its_job_ends_all_with_its_words(tmp_path: Path) -> None:
    heard = Heard()
    missing = {
        "workload": "oltp",
        "targets": [f"sqlite:///{tmp_path}/none.db"],
        "steps": ["verify", "measure"],
    }
    exit = run(2, heard, **missing, params={"customers": 200}, load={"closed": {"users": 2}})
    assert not exit.ok
    assert heard.of_kind("phase")[-1]["phase"] == "verify"
    assert heard.of_kind("end")[0]["outcome"] == "failed"


@pytest.mark.parametrize(
    "faults", [[{"raw": "thread panicked\n"}], [{"raw": '{"fact": {}}\n'}], [{"exit": 3}]]
)
def test_an_agent_that_writes_no_events_is_lost(stand_in: Path, faults: list[Any]) -> None:
    heard = Heard()
    job = {**JOB, "faults": faults, "steps": ["measure"], "canary_s": 0.0}
    with Interrupts() as interrupts:
        processes = Processes(stand_in, interrupts)
        try:
            exit = Together(FleetPlan(agents=2), processes, interrupts).run(job, 2, heard)
        finally:
            processes.close()
    assert exit.exit_code == 1
    assert heard.of_kind("error")[0]["text"].startswith("agent ")
