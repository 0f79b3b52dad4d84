"""Who drove the load of a system, where several processes or other machines did."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from igen.facts import (
    FLEET_AGENTS,
    FLEET_BEGAN_TOGETHER,
    FLEET_CLOCK_ERROR_S,
    FLEET_CLOCK_ERRORS_S,
    FLEET_FEWEST_AGENTS,
    FLEET_HOSTS,
    FLEET_MOST_AGENTS,
)
from igen.judge.record.recording import Recording
from igen.judge.result import Finding, Part, System
from igen.judge.trust.finding import finding
from igen.units import MS_PER_S

SAME_TIME = "at the same time"


def load_processes_of(recordings: Iterable[Recording]) -> dict[str, Any]:
    """Facts of a system, from those of the runs on which its figures rest; none where one process of this
    machine drove each of them.

    A level with few users has fewer processes than another, as have those after a loss: `fleet.fewest_agents`
    and `fleet.most_agents` in a run. `fleet.clock_error_s` is by how much the offset of a machine's clock may
    be wrong at most, in either direction; None where that of one is not known.
    """
    counts: list[int] = []
    hosts: list[str] = []
    together = True
    errors_s: list[float | None] = []
    for facts in (recording.facts for recording in recordings):
        agents, of_run = facts.get(FLEET_AGENTS), facts.get(FLEET_HOSTS)
        if not isinstance(agents, int) or not isinstance(of_run, list):
            counts.append(1)
            continue
        counts.append(agents)
        hosts += map(str, of_run)
        if agents > 1:
            together &= facts.get(FLEET_BEGAN_TOGETHER) is True
            errors_s += facts.get(FLEET_CLOCK_ERRORS_S) or [None]
    if not hosts:
        return {}
    known = [error_s for error_s in errors_s if error_s is not None]
    return {
        FLEET_FEWEST_AGENTS: min(counts),
        FLEET_MOST_AGENTS: max(counts),
        FLEET_HOSTS: list(dict.fromkeys(hosts)),
        FLEET_BEGAN_TOGETHER: together,
        FLEET_CLOCK_ERROR_S: max(known, default=0.0) if len(known) == len(errors_s) else None,
    }


def load_processes(system: System) -> Iterator[Finding]:
    """Yield how many processes drove the load, where, and how well it is known that they started together."""
    fewest, most = system.facts.get(FLEET_FEWEST_AGENTS), system.facts.get(FLEET_MOST_AGENTS)
    if fewest is None or most is None:
        return
    machines = [Part(name="machine", text=name) for name in system.facts[FLEET_HOSTS]]
    because = [_start(system, len(machines))] if most > 1 else []
    yield finding("load-processes", *machines, because=because, fewest=fewest, most=most)


def _start(system: System, machines: int) -> Finding:
    error_s = system.facts[FLEET_CLOCK_ERROR_S]
    if not system.facts[FLEET_BEGAN_TOGETHER]:
        return finding("started-when-ready")
    if error_s is None:
        return finding("started-at-same-time")
    if machines == 1 and not error_s:
        return finding("started-by-same-clock")
    return finding("started-by-known-clocks", clock_error_ms=MS_PER_S * error_s)
