"""Thousands of users in one process: what they take of memory and processors."""

from __future__ import annotations

import resource
import sys

from bench import agent, steady
from bench.outcome import Goal, Outcome, number
from bench.steady import Window

USERS = 14_000
THINK_TIME_S = 10.0
WINDOW = Window(warmup_s=12, measure_s=12)
"""Each user has asked at least once when it is over."""
MEMORY_GOAL = "< 100"
MIB = 2**20

MANY = 28_000
REQUESTS_PER_S = 4_640
"""As many as 28,000 people make who look at 580 pages of 8 requests a second."""
SPARE_FILES = 1_000
MANY_WINDOW = Window(warmup_s=12, measure_s=20)
CORES_GOAL = "<= 0.5"

NOTES = [
    f"Memory is the most that was resident up to the end of a run of {USERS:,} users with a connection each, "
    f"who think for {THINK_TIME_S:.0f} s, all monitors on.",
    f"Processors are those that the client's process keeps busy under steady load: {MANY:,} users, or as "
    "many as the limit of open files allows, with a connection each put so many requests together as 28,000 "
    "people do who look at 580 pages of 8 requests a second. The server has two addresses, as one has not "
    "ports enough.",
]


def many_users(outcome: Outcome, target: str) -> None:
    """A row for memory and one for processors."""
    print(f"http: {USERS:,} users ...", file=sys.stderr)
    described = agent.measurement("http", target, USERS, WINDOW, {})
    described["load"]["closed"]["think_time_s"] = THINK_TIME_S
    peak_mib = agent.peak_memory_bytes(described) / MIB
    what = f"{USERS:,} users who think {THINK_TIME_S:.0f} s: peak memory, MiB"
    outcome.add(what, iGen=number(peak_mib))
    outcome.goals[f"{USERS}_users_mib"] = Goal(peak_mib, MEMORY_GOAL)
    _, files = resource.getrlimit(resource.RLIMIT_NOFILE)
    many = MANY if files == resource.RLIM_INFINITY else min(MANY, files - SPARE_FILES)
    print(f"http: {many:,} users ...", file=sys.stderr)
    described = agent.measurement("http", target, many, MANY_WINDOW, {})
    described["load"]["closed"]["think_time_s"] = many / REQUESTS_PER_S
    described["targets"].append(target.replace("127.0.0.1", "127.0.0.2"))
    spent = steady.run(agent.client(described), MANY_WINDOW)
    cores = spent.cpu_us_per_transaction * spent.throughput_per_s / 1e6
    what = f"{many:,} users, {number(spent.throughput_per_s)} requests/s: processors busy"
    outcome.add(what, iGen=number(cores))
    outcome.goals[f"{many}_users_processors"] = Goal(cores, CORES_GOAL)
    outcome.notes += NOTES
