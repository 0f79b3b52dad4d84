"""What a request and a user cost oha, k6 and Locust, beside iGen on the same server."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

from bench import agent, web_tools
from bench.comparison import Comparison, interleave, spread
from bench.outcome import Outcome, number
from bench.steady import Window
from bench.web_tools import Load, ToolRun

CONNECTIONS = 64
ROUNDS = 9
RUN_S = 6
USERS = 5_000
THINK_TIME_S = 10.0
USERS_RUN_S = 20
"""Each user has asked at least once when it is over."""
KIB = 1024

NOTES = [
    "oha, k6 and Locust as their registries have them, with their defaults: oha and k6 use all processors, "
    f"Locust (FastHttpUser) one. The time that each takes to start is in it. {ROUNDS} alternating rounds.",
    f"Memory of {USERS:,} users with a connection each who think {THINK_TIME_S:.0f} s: the most that was "
    "resident, divided by their number, in one run of each. oha has no think time and keeps a rate.",
]


def beside_tools(outcome: Outcome, target: str) -> None:
    """A row for the processor time and one for the memory of each."""
    print(f"http: {', '.join(web_tools.TOOLS)} ...", file=sys.stderr)
    load = Load(target=target, users=CONNECTIONS, run_s=RUN_S)
    sides: dict[str, Callable[[], float]] = {"iGen": partial(_igen_us, target)}
    sides |= {name: partial(_cpu_us, tool, load) for name, tool in web_tools.TOOLS.items()}
    cpu_us = Comparison(interleave(sides, ROUNDS))
    for name in web_tools.TOOLS:
        outcome.add(
            f"{CONNECTIONS} connections, {name}: CPU µs per request",
            iGen=number(cpu_us.median("iGen")),
            range=cpu_us.spread("iGen"),
            peer=number(cpu_us.median(name)),
            ratio=number(cpu_us.ratio("iGen", name)),
            ratio_range=spread(cpu_us.ratios("iGen", name)),
        )
    ours_bytes = _igen_bytes(target)
    thinking = Load(target=target, users=USERS, run_s=USERS_RUN_S, think_s=THINK_TIME_S)
    for name, tool in web_tools.TOOLS.items():
        theirs_bytes = tool(thinking).execution.peak_memory_bytes
        outcome.add(
            f"{USERS:,} users, {name}: peak memory, KiB per user",
            iGen=number(ours_bytes / KIB / USERS),
            peer=number(theirs_bytes / KIB / USERS),
            ratio=number(ours_bytes / theirs_bytes),
        )
    outcome.notes += NOTES


def _cpu_us(tool: Callable[[Load], ToolRun], load: Load) -> float:
    run = tool(load)
    return 1e6 * run.execution.cpu_s / run.requests


def _igen_us(target: str) -> float:
    window = Window(warmup_s=0, measure_s=RUN_S - 1)
    done = agent.run(agent.measurement("http", target, CONNECTIONS, window, {}))
    return 1e6 * done.execution.cpu_s / done.transactions


def _igen_bytes(target: str) -> int:
    half_s = USERS_RUN_S // 2
    described = agent.measurement("http", target, USERS, Window(half_s, half_s), {})
    described["load"]["closed"]["think_time_s"] = THINK_TIME_S
    return agent.peak_memory_bytes(described)
