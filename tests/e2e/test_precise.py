"""A load whose threads spin before a start is due says what that costs."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest
from command_line import PATIENCE_S

from igen.fleet.agent import find_agent


def measured(load: dict[str, Any], placement: dict[str, Any]) -> list[dict[str, Any]]:
    """Run a job; return its events."""
    job = {
        "workload": "model",
        "params": {"service_time": "1ms"},
        "load": load,
        "placement": {"task": {"threads": 1}} | placement,
        "phases": {"warmup_s": 0, "measure_s": 1, "interval_s": 0.5},
        "monitors": [],
    }
    ended = subprocess.run(
        [find_agent(), "run"],
        input=json.dumps(job),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )
    return [json.loads(line) for line in ended.stdout.splitlines()]


OPEN = {"open": {"rate_per_s": 200, "users": 4}}
CLOSED = {"closed": {"users": 4, "think_time_s": 0.01}}


@pytest.mark.parametrize(
    ("load", "placement", "spins"),
    [
        (OPEN, {"precise": True}, True),
        (OPEN, {"precise": False}, False),
        (CLOSED, {"precise": True}, True),
        (CLOSED, {}, False),
    ],
)
def test_threads_spin_if_the_job_says_so(
    load: dict[str, Any], placement: dict[str, Any], spins: bool
) -> None:
    events = measured(load, placement)
    facts = {event["fact"]["name"]: event["fact"] for event in events if "fact" in event}
    snapshots = [event["snapshot"] for event in events if "snapshot" in event]
    measured_s = sum(each["end_s"] - each["start_s"] for each in snapshots if each["phase"] == "measure")
    assert ("engine.spun_s" in facts) == spins
    if spins:
        assert 0 < facts["engine.spun_s"]["value"] < measured_s
    if load is OPEN:
        due = sum(each["arrivals"]["due"] for each in snapshots if each["phase"] == "measure")
        assert due == pytest.approx(200 * measured_s, abs=2)
