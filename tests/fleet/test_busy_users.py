"""Users that never wait are bounded by the processors; a stop is heard beside many of them."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

import pytest

from igen.agent_program import find_agent
from igen.errors import InputError
from igen.fleet.agent import Agent

PER_PROCESSOR = 8
PATIENCE_S = 60


def job(users: int, **more: Any) -> dict[str, Any]:
    return {"workload": "cpu", "load": {"closed": {"users": users}}, **more}


@pytest.fixture
def most() -> int:
    return PER_PROCESSOR * len(os.sched_getaffinity(0))


@pytest.mark.parametrize("workload", ["cpu", "ram", "mem"])
def test_more_busy_users_than_processors_can_take_turns_with_are_refused(workload: str, most: int) -> None:
    agent = Agent()
    agent.check(job(most, workload=workload))
    agent.check(job(most + 1, workload=workload, force=True))
    with pytest.raises(InputError) as caught:
        agent.check(job(most + 1, workload=workload))
    assert caught.value.where == "load"


def test_users_that_think_or_share_threads_are_not_bounded(most: int) -> None:
    agent = Agent()
    agent.check(job(1) | {"load": {"closed": {"users": most + 1, "think_time_s": 1.0}}})
    agent.check(job(most + 1, placement={"task": {}}))
    agent.check(job(most + 1, workload="model"))


@pytest.mark.parametrize("how", ["SIGTERM", "stop", "end of input"])
def test_no_phase_starts_after_a_stop(how: str, most: int) -> None:
    phases = {"ramp_s": 0, "warmup_s": PATIENCE_S, "measure_s": PATIENCE_S}
    started = job(4 * most, phases=phases, force=True, attended=True, monitors=[])
    agent = subprocess.Popen([find_agent(), "run"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert agent.stdin is not None
    assert agent.stdout is not None
    try:
        agent.stdin.write(json.dumps(started).encode() + b"\n")
        agent.stdin.flush()
        events = map(json.loads, agent.stdout)
        assert any(event.get("phase", {}).get("phase") == "warmup" for event in events)
        if how == "SIGTERM":
            agent.terminate()
        elif how == "stop":
            agent.stdin.write(b'"stop"\n')
            agent.stdin.flush()
        else:
            agent.stdin.close()
        seen = [event["phase"]["phase"] for event in events if "phase" in event]
        assert seen == ["drain"]
        assert agent.wait(PATIENCE_S) == 130
    finally:
        agent.kill()
        agent.wait()
