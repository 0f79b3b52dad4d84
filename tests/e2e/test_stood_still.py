"""A load process that is stopped for a while knows it: SIGSTOP and SIGCONT."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from typing import Any

import pytest
from command_line import PATIENCE_S

from igen.fleet.agent import find_agent

STOPPED_S = 1.0
INTERVAL_S = 0.2
KEY = "engine.stood_still_s"


def measured(*, stop: bool, service_time: str) -> list[dict[str, Any]]:
    """Run a job whose agent is stopped in the middle of MEASURE; return its events."""
    job = {
        "workload": "model",
        "params": {"service_time": service_time},
        "load": {"closed": {"users": 4}},
        "phases": {"warmup_s": 0, "measure_s": 4, "interval_s": INTERVAL_S},
        "monitors": [],
    }
    pipe = subprocess.PIPE
    agent = subprocess.Popen([find_agent(), "run"], stdin=pipe, stdout=pipe, text=True)
    assert agent.stdin is not None
    assert agent.stdout is not None
    agent.stdin.write(json.dumps(job) + "\n")
    agent.stdin.close()
    events = []
    for line in agent.stdout:
        events.append(json.loads(line))
        if stop and "snapshot" in events[-1]:
            stop = False
            time.sleep(INTERVAL_S / 2)  # amid an interval: the leader waits for its end
            os.kill(agent.pid, signal.SIGSTOP)
            time.sleep(STOPPED_S)
            os.kill(agent.pid, signal.SIGCONT)
    assert agent.wait(PATIENCE_S) == 0
    return events


def stood_still_s(events: list[dict[str, Any]]) -> float:
    """Return what the agent says."""
    facts = {event["fact"]["name"]: event["fact"]["value"] for event in events if "fact" in event}
    return float(facts.get(KEY, 0.0))


def test_an_agent_that_was_stopped_says_for_how_long() -> None:
    assert stood_still_s(measured(stop=True, service_time="2ms")) == pytest.approx(STOPPED_S, rel=0.3)


def test_users_who_all_wait_for_a_slow_system_do_not_stand_still() -> None:
    assert stood_still_s(measured(stop=False, service_time="1500ms")) == 0
