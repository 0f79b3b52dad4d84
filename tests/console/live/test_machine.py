"""What the live page knows of machines: the load machine's figures, and tiers wherever they run."""

from __future__ import annotations

import json

import pytest

from igen.console.live.machine import Machine


def take(machine: Machine, host: str, monitor: str, busy_s: float, at_s: float, subject: str = "") -> None:
    reading = {
        "host": host,
        "monitor": monitor,
        **({"subject": subject} if subject else {}),
        "at_s": at_s,
        "counters": {"user_s": busy_s, "system_s": 0.0, "idle_s": 2 * at_s - busy_s},
        "gauges": {"capacity_processors": 2.0},
    }
    machine.take(json.dumps({"reading": reading}, separators=(",", ":")).encode())


@pytest.mark.parametrize("url", ["ssh://db1", "http://db1:9100/metrics"])
def test_of_other_machines_only_tiers_are_shown(url: str) -> None:
    machine = Machine()
    for at_s in (1.0, 2.0):
        take(machine, "load", "cpu", 0.5 * at_s, at_s)
        take(machine, "load", "tier", 0.25 * at_s, at_s, "web")
        machine.look_at_cpu()
        take(machine, url, "cpu", 2.0 * at_s, at_s)
        take(machine, url, "tier", 1.5 * at_s, at_s, "db")
    assert machine.look_at_cpu() == pytest.approx(25)
    assert machine.figures()["cpu_percent"] == pytest.approx(25)
    assert machine.tiers() == {"web": pytest.approx(12.5), "db": pytest.approx(75)}


@pytest.mark.parametrize("first", ["load-a", "load-b"])
def test_of_several_load_machines_that_of_the_first_agent_is_shown(first: str) -> None:
    """Their counters are of different processors: mixed they would be nobody's."""
    machine = Machine()
    machine.is_on(first)
    shares = {"load-a": 0.5, "load-b": 1.5}
    for at_s in (1.0, 2.0, 3.0):
        for host, share in shares.items():
            take(machine, host, "cpu", share * at_s, at_s)
            take(machine, host, "tier", share * at_s, at_s, "web")
        machine.look_at_cpu()
    expected = pytest.approx(50 * shares[first])
    assert machine.look_at_cpu() == expected
    assert machine.figures()["cpu_percent"] == expected
    assert machine.tiers() == {"web": expected}
