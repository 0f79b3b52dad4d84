"""The number of client threads that leaves enough processors for a server on the same machine."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from igen.errors import InputError
from igen.facts import LOAD_THREADS, TARGETS_SERVERS
from igen.fleet.agent import Agent
from igen.fleet.local import Command
from igen.fleet.plan import LOCAL
from igen.judge.record.recording import recording_from_events
from igen.judge.record.target import is_socket
from igen.judge.run.resources import OWN_TIMES, Host
from igen.study.levels import PlannedLevel
from igen.study.planned import planned_levels
from igen.study.study import Study
from igen.study.threads import busiest, says_where_users_run, targets_of, threads_for, with_threads
from igen.units import counted
from igen.workbench.pilot import run_pilot

Say = Callable[[str], None]
Hear = Callable[[dict[str, Any]], None]
"""Is given each event of the pilot."""
"""Name of the fact with the number of threads."""
_SOCKETS = {"socket", "host"}
"""Parameters of a target with the path of a socket."""
_SEARCHED_USERS = 4
"""Users per processor in the pilot of a search, which begins with too few of them to fill the machine."""


def threaded(study: Study, *, say: Say, hear: Hear) -> Study:
    """Return the study with the number of threads for its client that pilots have found best.

    The level with the most users is the pilot: there the client takes processors from its server. It runs
    with a thread for each processor, and with the share of them that the client then used; the number with
    the higher throughput is chosen. The study stays as it is if it says where its users run, if no server is
    on this machine, if the processes of a server are unknown, or if a pilot fails: the study itself fails in
    the same way then. Raises `InputError` and `Interrupted`.
    """
    _check_users_wait(study)
    processors, fleet = len(os.sched_getaffinity(0)), study.fleet
    if processors == 1 or fleet.address != LOCAL or fleet.agents > 1:
        return study
    if says_where_users_run(study) or not any(map(may_be_here, targets_of(study))):
        return study
    pilot = busiest(each for each in _levels(study, processors) if any(map(may_be_here, each.job["targets"])))
    if pilot is None or (with_all := _used(pilot, hear)) is None:
        return study
    threads = threads_for(processors, with_all.client_s, with_all.server_s)
    task: dict[str, Any] = {"threads": processors}
    if threads < processors:
        fewer = {"threads": threads, "pin": False}
        placed = {**pilot.job, "placement": {**pilot.job["placement"], "task": fewer}}
        sharing = replace(pilot, job=placed)
        # In the order A B B A a machine that becomes slower or faster favours neither.
        rest = [_used(level, hear) for level in (sharing, sharing, pilot)]
        done = [with_all.requests_per_s, *(used.requests_per_s for used in rest if used is not None)]
        if len(done) == 1 + len(rest) and sum(done[1:3]) > done[0] + done[3]:
            task = fewer
    say(
        f"a request takes {with_all.client_us:.3g} µs of client CPU and {with_all.server_us:.3g} µs of"
        f" server CPU: {counted(task['threads'], 'client thread')} on {counted(processors, 'processor')}"
    )
    return with_threads(study, task)


def _used(level: PlannedLevel, hear: Hear) -> Used | None:
    """Carry out a pilot; return None if it fails, or if client or server cannot be followed."""
    listener = _Listener(hear)
    return listener.used() if run_pilot(level, listener).ok else None


def _check_users_wait(study: Study) -> None:
    """Raise `InputError` if users that block their thread are to share threads."""
    if not threads_of(study.job):
        return
    for planned in {each.system: each for each in planned_levels(study, Agent())}.values():
        job = {name: value for name, value in planned.job.items() if name != "placement"}
        if "thread" in (Agent().check(job)["placement"] or {}):
            raise InputError(
                f"each user of `{planned.job['workload']}` needs its own thread",
                where="placement.task.threads",
                hint="leave it out: only users that wait for a network can share threads",
            )


def threads_of(job: Mapping[str, Any]) -> dict[str, int]:
    """Return the fact about the number of threads that a job asks for; empty if it does not ask for any."""
    threads = ((job.get("placement") or {}).get("task") or {}).get("threads")
    return {} if threads is None else {LOAD_THREADS: threads}


def may_be_here(target: str) -> bool:
    """Return True if the server of a target is reached through a socket or an address of this machine."""
    try:
        parts = urlsplit(target)
        if any(name in _SOCKETS for name, _ in parse_qsl(parts.query, keep_blank_values=True)):
            return True
        if is_socket(parts.hostname or ""):
            return True
        places = socket.getaddrinfo(parts.hostname, parts.port, type=socket.SOCK_STREAM)
    except (OSError, ValueError):
        return False
    return any(_is_own(family, address) for family, _, _, _, address in places)


def _is_own(family: int, address: tuple[Any, ...]) -> bool:
    """Return True if a socket may be bound to the address, at any free port."""
    try:
        with socket.socket(family, socket.SOCK_STREAM) as own:
            own.bind((address[0], 0, *address[2:]))
    except OSError:
        return False
    return True


def _levels(study: Study, processors: int) -> list[PlannedLevel]:
    """Return the levels among which the pilot is chosen."""
    return study.plan.levels_to_try(study, Agent(), _SEARCHED_USERS * processors)


@dataclass(frozen=True, slots=True)
class Used:
    """Processor time that client and server used in a pilot."""

    client_s: float
    server_s: float
    """Per second."""
    requests_per_s: float

    @property
    def client_us(self) -> float:
        """Microseconds of the client per request."""
        return 1e6 * self.client_s / self.requests_per_s

    @property
    def server_us(self) -> float:
        """Microseconds of the server per request."""
        return 1e6 * self.server_s / self.requests_per_s


@dataclass(slots=True)
class _Listener:
    """A listener that keeps the events of a pilot and ends it after its measurement."""

    hear: Hear
    events: list[dict[str, Any]] = field(default_factory=list)

    def line(self, line: bytes) -> None:
        """Record nothing."""

    def event(self, event: dict[str, Any]) -> Command | None:
        """Hand the event on, but no warning: the study itself warns too."""
        if "warning" not in event:
            self.hear(event)
        self.events.append(event)
        return "finish" if "measured" in event else None

    def used(self) -> Used | None:
        """Return the processor time of client and servers; None if unknown, or without any request."""
        recording = recording_from_events(self.events)
        intervals = recording.measure
        servers = recording.facts.get(TARGETS_SERVERS) or []
        if not intervals or any("unknown" in (server or {}) for server in servers):
            return None
        start_s, end_s = intervals[0].start_s, intervals[-1].end_s
        host = Host(recording, start_s, end_s)
        client_s = host.sum_per_s("process", OWN_TIMES, host.drivers())
        server_s = host.sum_per_s("tier", OWN_TIMES, host.subjects("tier"))
        requests = sum(interval.transactions.count for interval in intervals)
        if client_s is None or server_s is None or requests == 0:
            return None
        return Used(client_s, server_s, requests / (end_s - start_s))
