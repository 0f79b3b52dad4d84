"""What requests cost a web server's client, beside wrk, and what thousands of users take."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench import agent, http2, http_floor, http_tools, http_users, servers, web, wrk
from bench.http_cost import Cost, beside, cost
from bench.outcome import Goal, Outcome
from bench.steady import Window

COLUMNS = (
    "iGen",
    "range",
    "peer",
    "ratio",
    "ratio_range",
    "iGen_user",
    "peer_user",
    "user_ratio",
    "user_ratio_range",
    "iGen_per_s",
    "throughput_ratio",
    "iGen_without",
)
BODY_BYTES = 126
CONNECTIONS = (1, 4, 16, 64, 1_000)
GATED = 64
"""Connections at which the client's processor time is gated."""
CPU_GOAL = "<= 1.0"
USER_GOAL = "<= 1.0"
THROUGHPUT_GOAL = ">= 0.97"
MANY = 1_000
"""Connections at which the client is held against the least that one can cost."""
LOOP = "bare loop"
LOOP_GOAL = "<= 1.3"
FLOOR = "bare loop in C"

NOTES = [
    "CPU is user and system time of the client's whole process by request, start, connecting and end "
    "included on both sides, in alternating runs; values are medians, ratios medians of the ratios within "
    "the rounds, ranges go from the lowest to the highest. User is the part of it in user space, as the "
    "kernel accounts for it when the process has ended (`getrusage`).",
    f"nginx with one worker on loopback answers each request with {BODY_BYTES} bytes and their head. wrk has "
    "one thread (`-t1`), and so has iGen, which records the time of every request, counts bytes and "
    "statuses, checks the status, and reads all of its default monitors.",
    "The bare loop is iGen's own client, its connections and its parser, without the engine: one thread, no "
    "clock, no statistics, no monitors (crates/igen-http/examples/bare_loop.rs).",
    "The bare loop in C has one thread and one epoll (bench/http_floor.c). It sends requests and reads "
    "answers up to their last byte, without a look into them: no client can cost less by much.",
]


def measure(*, quick: bool) -> Outcome:
    """All comparisons in turn."""
    rounds, run_s = (3, 2) if quick else (9, 4)
    outcome = Outcome("http", COLUMNS)
    wrk.install()
    outcome.notes += NOTES
    with servers.nginx(BODY_BYTES, {web.FILE: web.page()}, web.locations()) as target:
        for connections in (GATED,) if quick else CONNECTIONS:
            beside_wrk(outcome, target, connections, rounds, run_s)
        beside_loops(outcome, target, rounds, run_s)
        http_users.many_users(outcome, target)
        web.measure(outcome, target, rounds=rounds, run_s=run_s, quick=quick)
        if not quick:
            http_tools.beside_tools(outcome, target)
    with servers.nginx(BODY_BYTES, tls=True) as target:
        http_users.users_with_tls(outcome, target)
    with servers.nginx(BODY_BYTES, http2=True) as target:
        http2.measure(outcome, target, rounds=rounds, run_s=run_s)
    return outcome


def beside_wrk(outcome: Outcome, target: str, connections: int, rounds: int, run_s: int) -> None:
    """One row of the table, and its goals."""
    plural = "s" if connections > 1 else ""
    what = f"{connections:,} connection{plural}"
    print(f"http: {what} ...", file=sys.stderr)
    sides: dict[str, Callable[[], Cost]] = {
        "iGen": partial(_igen, target, connections, run_s),
        "wrk": partial(_wrk, target, connections, run_s),
    }
    ratios = beside(outcome, what, "wrk", sides, rounds)
    if connections == GATED:
        outcome.goals[f"{connections}_cpu_ratio"] = Goal(ratios.cpu, CPU_GOAL)
        outcome.goals[f"{connections}_user_ratio"] = Goal(ratios.user, USER_GOAL)
    if connections <= GATED:
        outcome.goals[f"{connections}_throughput_ratio"] = Goal(ratios.throughput, THROUGHPUT_GOAL)


def beside_loops(outcome: Outcome, target: str, rounds: int, run_s: int) -> None:
    """A row for iGen's client without its engine, with a goal, and one for the least that any can cost."""
    print(f"http: {MANY:,} connections, {LOOP}, {FLOOR} ...", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="igen-bench-") as folder:
        loop, floor = http_floor.build_loop(), http_floor.build(Path(folder))
        loops: dict[str, Callable[[], Cost]] = {
            LOOP: partial(http_floor.run_loop, loop, target, MANY, run_s),
            FLOOR: partial(http_floor.run, floor, target, MANY, run_s),
        }
        for name, run in loops.items():
            sides: dict[str, Callable[[], Cost]] = {"iGen": partial(_igen, target, MANY, run_s), name: run}
            ratios = beside(outcome, f"{MANY:,} connections", name, sides, rounds)
            if name == LOOP:
                outcome.goals[f"{MANY}_loop_ratio"] = Goal(ratios.cpu, LOOP_GOAL)


def _igen(target: str, connections: int, run_s: int) -> Cost:
    window = Window(warmup_s=0, measure_s=run_s - 1)
    done = agent.run(agent.measurement("http", target, connections, window, {}, threads=1))
    return cost(done.execution, done.transactions, done.throughput_per_s)


def _wrk(target: str, connections: int, run_s: int) -> Cost:
    done = wrk.run(target, connections, run_s)
    return cost(done.execution, done.requests, done.throughput_per_s)
