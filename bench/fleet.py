"""What many load machines cost and how exactly they work together: begin, loss, merging, rate."""

from __future__ import annotations

import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from bench.fleet_merge import Judge
from bench.outcome import Goal, Outcome, number
from bench.process import ROOT
from igen.fleet.agent import Agent
from igen.fleet.interrupts import Interrupts
from igen.fleet.local import Command, JobExit
from igen.fleet.machines import machines_of
from igen.fleet.pauses import short_pauses
from igen.fleet.plan import FleetPlan
from igen.fleet.together import Together
from tests.own_ports import own_ports

TOGETHER = 3
MANY = 200
USERS_EACH = 200
REST_S = 0.2
NOTES = [
    f"Begin: {TOGETHER} agents of one user each; the skew is between the first requests, as the server "
    "reads them, which is a process of its own. They are processes of one machine: the error of other "
    "machines' clocks, which `fleet.clock_errors_s` tells, adds to it.",
    "Loss: from the moment at which an agent is stopped (SIGSTOP) until the run records that it is lost; "
    "intervals are of 1 s.",
    f"Judge: {MANY} simulated agents, whose snapshots have the histograms of 5 operations beside that of "
    "transactions, each of two times with 1,000 values. Processor time is that for each second of load; "
    "behind is from the arrival of all lines at once until their sum is told.",
    f"Rate: {USERS_EACH} users for each agent, who think 0.5 s; the model serves all of them at once.",
]


def measure(*, quick: bool) -> Outcome:
    """All of it."""
    outcome = Outcome("fleet", ("value", "range", "n"), notes=[*NOTES, _scheduled()])
    _begin(outcome, 20 if quick else 200)
    _loss(outcome, 2 if quick else 10)
    _judge(outcome, 10 if quick else 200)
    _rate(outcome, 3.0 if quick else 20.0)
    return outcome


def _scheduled() -> str:
    """By which policy the kernel runs this bench, and with it what it starts."""
    policies = {number: name for name, number in vars(os).items() if re.fullmatch(r"SCHED_[A-Z]+", name)}
    policy = policies.get(os.sched_getscheduler(0), "unknown")
    return f"Scheduling policy of the bench and of what it starts: {policy}."


class Listener:
    """Keeps what is told; stops an agent after an interval, if asked to."""

    def __init__(self, *, stop_after: int = 0) -> None:
        self.events: list[dict[str, Any]] = []
        self.lost_after_s = 0.0
        self._stop_after = stop_after
        self._stopped_s = 0.0
        self._facts: dict[str, Any] = {}

    def line(self, line: bytes) -> None:
        """Nothing is recorded."""

    def event(self, event: dict[str, Any]) -> Command | None:
        """Takes note."""
        self.events.append(event)
        if "fact" in event:
            self._facts[event["fact"]["name"]] = event["fact"]["value"]
            if event["fact"]["name"] == "fleet.lost":
                self.lost_after_s = time.monotonic() - self._stopped_s
        if "snapshot" in event and len(self.snapshots()) == self._stop_after:
            # Not at the same moment of each interval.
            time.sleep(self._stop_after * 0.37 % 1.0)
            os.kill(self._facts["fleet.process_ids"][0], signal.SIGSTOP)
            self._stopped_s = time.monotonic()
        return None

    def snapshots(self) -> list[dict[str, Any]]:
        """Intervals so far."""
        return [event["snapshot"] for event in self.events if "snapshot" in event]


def _run(agents: int, listener: Listener, job: dict[str, Any]) -> JobExit:
    agent = Agent()
    plan = FleetPlan(agents=agents, on_loss="continue")
    whole = agent.check({"monitors": [], "canary_s": 0.0, **job})
    with Interrupts() as interrupts, closing(machines_of(plan, agent.path, interrupts)) as machines:
        exit = Together(plan, machines, interrupts).run(whole, agents, listener)
    if exit.error is not None:
        raise RuntimeError(str(exit.error["text"]))
    return exit


def _begin(outcome: Outcome, runs: int) -> None:
    scenario = {
        "session": {"steps": [{"page": "home"}]},
        "page": [{"name": "home", "request": [{"get": "/?user={user.id}&n={random.uuid}"}]}],
    }
    skews_ms = []
    for _ in range(runs):
        port = own_ports()
        with _first_requests(port) as first_s:
            job = {
                "workload": "web",
                "targets": [f"http://127.0.0.1:{port}"],
                "params": {"scenario": scenario},
                "load": {"closed": {"users": TOGETHER}},
                "phases": {"warmup_s": 0.0, "measure_s": 0.3, "interval_s": 0.1, "drain_s": 0.1},
            }
            _run(TOGETHER, Listener(), job)
        if len(first_s) != TOGETHER:
            raise RuntimeError(f"{len(first_s)} of {TOGETHER} agents began")
        skews_ms.append(1e3 * (max(first_s) - min(first_s)))
    p99_ms = _p99(skews_ms)
    outcome.add(
        f"begin of {TOGETHER} agents, skew",
        value=f"median {number(statistics.median(skews_ms))} ms, p99 {number(p99_ms)} ms",
        range=f"{number(min(skews_ms))} to {number(max(skews_ms))} ms",
        n=str(runs),
    )
    outcome.goals["skew of the begin, p99, ms"] = Goal(p99_ms, "<= 5")


@contextmanager
def _first_requests(port: int) -> Iterator[list[float]]:
    """A server on this port; the list has the times of each user's first request when it has ended, in s."""
    first_s: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        book = Path(folder) / "book"
        command = [
            sys.executable,
            "-m",
            "tests.fleet.counting_server",
            "127.0.0.1",
            str(port),
            str(book),
            "1",
        ]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT)
        try:
            assert server.stdout is not None
            if not server.stdout.readline():
                raise RuntimeError("the counting server does not listen")
            yield first_s
        finally:
            server.terminate()
            server.communicate()
        first: dict[str, float] = {}
        for line in book.read_text(encoding="utf-8").splitlines():
            at_s, _, path = line.split(" ", 2)
            first.setdefault(path.partition("user=")[2].partition("&")[0], float(at_s))
        first_s += first.values()


def _loss(outcome: Outcome, runs: int) -> None:
    noticed_s = []
    for number_of_run in range(runs):
        listener = Listener(stop_after=2 + number_of_run % 3)
        phases = {"warmup_s": 0.0, "measure_s": 9.0, "interval_s": 1.0, "drain_s": 0.5}
        _run(2, listener, {"workload": "model", "load": {"closed": {"users": 2}}, "phases": phases})
        noticed_s.append(listener.lost_after_s)
    outcome.add(
        "loss of an agent that falls silent",
        value=f"median {number(statistics.median(noticed_s))} s",
        range=f"{number(min(noticed_s))} to {number(max(noticed_s))} s",
        n=str(runs),
    )
    outcome.goals["loss noticed, s"] = Goal(max(noticed_s), "<= 3")


def _judge(outcome: Outcome, intervals: int) -> None:
    judge = Judge(MANY)
    taken = []
    with short_pauses():  # as for every job of several agents
        for _ in range(intervals):
            time.sleep(REST_S)  # a judge that never rests is held back by the system
            taken.append(judge.interval())
    cores = statistics.fmean(each.cpu_s for each in taken)
    walls_ms = [1e3 * each.wall_s for each in taken]
    behind_ms = _p99(walls_ms)
    what = f"judge of {MANY} agents at 1 Hz, {judge.snapshot_bytes:,} bytes a snapshot"
    outcome.add(what, value=f"{number(cores)} cores", n=str(intervals))
    outcome.add(
        f"sum of {MANY} agents behind their lines",
        value=f"median {number(statistics.median(walls_ms))} ms, p99 {number(behind_ms)} ms",
        range=f"{number(min(walls_ms))} to {number(max(walls_ms))} ms",
        n=str(intervals),
    )
    outcome.goals[f"judge of {MANY} agents, cores"] = Goal(cores, "<= 0.1")
    outcome.goals[f"sum of {MANY} agents behind, p99, ms"] = Goal(behind_ms, "<= 100")


def _rate(outcome: Outcome, measure_s: float) -> None:
    rates = {agents: _rate_of(agents, measure_s) for agents in (1, 4)}
    for agents, rate_per_s in rates.items():
        outcome.add(f"rate of {agents} agents", value=f"{number(rate_per_s)} /s", n="1")
    outcome.goals["rate of 4 agents by 4 times that of one"] = Goal(rates[4] / (4 * rates[1]), ">= 0.97")


def _rate_of(agents: int, measure_s: float) -> float:
    users = agents * USERS_EACH
    listener = Listener()
    job = {
        "workload": "model",
        "params": {"service": "deterministic", "service_time": 0.001, "servers": 4 * USERS_EACH},
        "load": {"closed": {"users": users, "think_time_s": {"exponential": 0.5}}},
        "phases": {"warmup_s": 2.0, "measure_s": measure_s, "interval_s": 1.0},
    }
    _run(agents, listener, job)
    measured = [each for each in listener.snapshots() if each["phase"] == "measure"]
    counted: int = sum(each["transactions"]["count"] for each in measured)
    return counted / float(measured[-1]["end_s"] - measured[0]["start_s"])


def _p99(values: list[float]) -> float:
    return statistics.quantiles(values, n=100, method="inclusive")[98]
