"""Thousands of users in one process: what they take of memory and processors."""

from __future__ import annotations

import resource
import sys
from typing import Any

from bench import agent, steady, web
from bench.outcome import Goal, Outcome, number
from bench.steady import Window

USERS = 14_000
THINK_TIME_S = 10.0
WINDOW = Window(warmup_s=0, measure_s=12)
"""Each user has asked at least once when it is over."""
MEMORY_GOAL = "< 100"
MIB = 2**20
TLS_LIMIT_MB = 180
TLS_MEMORY_GOAL = f"< {TLS_LIMIT_MB * 1e6 / MIB:.1f}"

MANY = 28_000
PAGES_PER_S = 580
REQUESTS = 8
"""Requests of a page."""
SPARE_FILES = 1_000
MANY_WINDOW = Window(warmup_s=4, measure_s=16)
CORES_GOAL = "<= 0.5"

NOTES = [
    f"Memory is the most that was resident up to the end of a run of {USERS:,} users with a connection each, "
    f"who think for {THINK_TIME_S:.0f} s, all monitors on; over TLS each has verified the server's "
    "certificate, and has a session of its own to resume. Goals are in MiB, of 2^20 bytes: "
    f"{TLS_LIMIT_MB} MB are {TLS_LIMIT_MB * 1e6 / MIB:.1f}.",
    f"Processors are those that the client's process keeps busy under steady load, that of {MANY:,} people "
    f"who look at {PAGES_PER_S} pages of {REQUESTS} requests a second: of `web` on a connection that is made "
    "for each page and closed after it; of `http` as single requests of as many users as the limit of open "
    "files allows, each with a connection that stays. The server has two addresses, as one has not ports "
    "enough.",
]


def many_users(outcome: Outcome, target: str) -> None:
    """Rows for memory and for processors, of a server without TLS."""
    memory(outcome, target, f"{USERS:,} users", f"{USERS}_users_mib", MEMORY_GOAL)
    targets = [target, target.replace("127.0.0.1", "127.0.0.2")]
    _, files = resource.getrlimit(resource.RLIMIT_NOFILE)
    kept = MANY if files == resource.RLIM_INFINITY else min(MANY, files - SPARE_FILES)
    processors(outcome, f"{kept:,} users of http", f"{kept}_users_processors", one_request(targets, kept))
    processors(outcome, f"{MANY:,} users of web", f"{MANY}_web_users_processors", pages(targets))
    outcome.notes += NOTES


def users_with_tls(outcome: Outcome, target: str) -> None:
    """A row for memory, of a server with TLS."""
    memory(outcome, target, f"{USERS:,} users over TLS", f"{USERS}_tls_users_mib", TLS_MEMORY_GOAL)


def memory(outcome: Outcome, target: str, who: str, name: str, goal: str) -> None:
    """What users who think take."""
    print(f"http: {who} ...", file=sys.stderr)
    described = agent.measurement("http", target, USERS, WINDOW, {})
    described["load"]["closed"]["think_time_s"] = THINK_TIME_S
    peak_mib = agent.peak_memory_bytes(described) / MIB
    outcome.add(f"{who} who think {THINK_TIME_S:.0f} s: peak memory, MiB", iGen=number(peak_mib))
    outcome.goals[name] = Goal(peak_mib, goal)


def processors(outcome: Outcome, who: str, name: str, described: dict[str, Any]) -> None:
    """How many processors a load keeps busy."""
    print(f"http: {who} ...", file=sys.stderr)
    spent = steady.run(agent.client(described), MANY_WINDOW)
    cores = spent.cpu_us_per_transaction * spent.throughput_per_s / 1e6
    done = f"{number(spent.throughput_per_s)} transactions/s"
    outcome.add(f"{who}, {done}: processors busy", iGen=number(cores))
    outcome.goals[name] = Goal(cores, CORES_GOAL)


def one_request(targets: list[str], users: int) -> dict[str, Any]:
    """So many users of `http`, who put as many requests together as all people do."""
    described = agent.measurement("http", targets[0], users, MANY_WINDOW, {})
    described["load"]["closed"]["think_time_s"] = users / (PAGES_PER_S * REQUESTS)
    return described | {"targets": targets}


def pages(targets: list[str]) -> dict[str, Any]:
    """All people as users of `web`, whose connections do not stay while they think."""
    requests = [{"name": f"request {number}", "get": "/"} for number in range(1, REQUESTS + 1)]
    scenario = web.scenario(*requests) | {"browser": {"keep": 0}}
    described = agent.measurement("web", targets[0], MANY, MANY_WINDOW, {"scenario": scenario})
    described["load"]["closed"]["think_time_s"] = MANY / PAGES_PER_S
    return described | {"targets": targets}
