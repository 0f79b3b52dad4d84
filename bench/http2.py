"""What requests over HTTP/2 cost the client, beside h2load, and what users take."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

from bench import agent, h2load
from bench.http_cost import Cost, beside, cost
from bench.outcome import Goal, Outcome, number
from bench.steady import Window

CONNECTIONS = 64
CPU_GOAL = "<= 1.5"
PARAMS = {"protocol": "h2"}
USERS = 14_000
THINK_TIME_S = 10.0
WINDOW = Window(warmup_s=0, measure_s=12)
"""Each user has asked at least once when it is over."""
MEMORY_GOAL = "<= 30"
KIB = 1024

NOTES = [
    "Over HTTP/2 (prior knowledge, without TLS) both sides ask for one answer at a time on each of "
    f"{CONNECTIONS} connections (`h2load -t1 -m1`), of the same nginx with the same answer.",
    f"Memory is the most that was resident up to the end of a run of {USERS:,} users with a connection "
    f"each, who think for {THINK_TIME_S:.0f} s, all monitors on, divided by their number.",
]


def measure(outcome: Outcome, target: str, *, rounds: int, run_s: int) -> None:
    """A row for the processor time and one for memory, of a server that speaks nothing else."""
    h2load.install()
    print(f"http: {CONNECTIONS} connections, HTTP/2 ...", file=sys.stderr)
    sides: dict[str, Callable[[], Cost]] = {
        "iGen": partial(_igen, target, run_s),
        "h2load": partial(_h2load, target, run_s),
    }
    what = f"{CONNECTIONS} connections over HTTP/2"
    ratios = beside(outcome, what, "h2load", sides, rounds)
    outcome.goals["http2_cpu_ratio"] = Goal(ratios.cpu, CPU_GOAL)
    print(f"http: {USERS:,} users, HTTP/2 ...", file=sys.stderr)
    described = agent.measurement("http", target, USERS, WINDOW, PARAMS)
    described["load"]["closed"]["think_time_s"] = THINK_TIME_S
    kib = agent.peak_memory_bytes(described) / KIB / USERS
    outcome.add(f"{USERS:,} users over HTTP/2: peak memory, KiB per user", iGen=number(kib))
    outcome.goals["http2_user_kib"] = Goal(kib, MEMORY_GOAL)
    outcome.notes += NOTES


def _igen(target: str, run_s: int) -> Cost:
    window = Window(warmup_s=0, measure_s=run_s - 1)
    done = agent.run(agent.measurement("http", target, CONNECTIONS, window, PARAMS, threads=1))
    return cost(done.execution, done.transactions, done.throughput_per_s)


def _h2load(target: str, run_s: int) -> Cost:
    done = h2load.run(target, CONNECTIONS, run_s)
    return cost(done.execution, done.requests, done.throughput_per_s)
