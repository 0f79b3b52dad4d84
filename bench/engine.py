"""What the load engine itself costs: per transaction, per user, per start; and beside sysbench.

The floor is `noop`: a transaction that does nothing, timed and recorded like any other.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from bench import agent, sysbench
from bench.comparison import Comparison, alternate
from bench.outcome import Goal, Outcome, number
from bench.process import IGEN, execute

THREAD: dict[str, Any] = {"thread": {}}
MIB = 2**20


def measure(*, quick: bool) -> Outcome:
    """All measurements in turn. `quick` shortens the runs, never their number below five."""
    outcome = Outcome("engine", ("iGen", "range", "sysbench", "ratio"))
    run_s = 1.0 if quick else 4.0
    steps: dict[str, Callable[[], None]] = {
        "floor and scaling": lambda: floor_and_scaling(outcome, run_s),
        "start": lambda: start(outcome),
        "memory": lambda: memory(outcome, long_s=10.0 if quick else 20.0),
        "10,000 users": lambda: users(outcome, run_s),
        "empty events beside sysbench": lambda: beside_sysbench(outcome, run_s),
        "threads beside sysbench": lambda: threads_beside_sysbench(outcome),
        "command line": lambda: command_line(outcome),
    }
    for name, step in steps.items():
        print(f"engine: {name} ...", file=sys.stderr)
        step()
    outcome.notes += [
        "Times and ratios are medians of at least five alternating runs, memory of three. CPU time is user "
        "and system time of the whole process as the kernel accounts for it, start-up included.",
        "An event of sysbench's `cpu` test with `--cpu-max-prime=1` and of its `threads` test with "
        "`--thread-yields=0` is an empty loop, as is a transaction of `noop`. Its `mutex` test makes one "
        "event a thread, so it says what starting and ending threads costs.",
    ]
    return outcome


def floor_and_scaling(outcome: Outcome, run_s: float) -> None:
    """CPU time of a noop transaction; two threads against one."""
    runs = {users: agent.job("noop", users, run_s, placement=THREAD) for users in (1, 2)}
    cpu_ns: dict[int, list[float]] = {1: [], 2: []}

    def throughput(users: int) -> float:
        done = agent.run(runs[users])
        cpu_ns[users].append(done.cpu_ns_per_transaction)
        return done.throughput_per_s

    scaling = alternate({"1": partial(throughput, 1), "2": partial(throughput, 2)}, 5)
    for users, values in cpu_ns.items():
        outcome.add(
            f"noop on {users} thread{'s' if users > 1 else ''}: CPU ns per transaction",
            iGen=number(statistics.median(values)),
            range=Comparison({"": values}).spread(""),
        )
    ratio = scaling.ratio("2", "1")
    outcome.add("noop, 2 threads against 1: ratio of throughput", iGen=number(ratio))
    # Other load on the machine takes processors from the two threads, but adds no CPU time to them.
    by_cpu = 2 * statistics.median(cpu_ns[1]) / statistics.median(cpu_ns[2])
    outcome.add(
        "noop, 2 threads against 1: ratio by CPU time, 2 if neither hinders the other", iGen=number(by_cpu)
    )
    outcome.goals["noop_cpu_ns"] = Goal(statistics.median(cpu_ns[1]), "<= 40")
    outcome.goals["noop_scaling_2_threads"] = Goal(ratio, ">= 1.9")


def start(outcome: Outcome) -> None:
    """From the start of the process to the end of the first transaction."""
    described = agent.job("noop", 1, 0.05, placement=THREAD)
    values = [float(agent.run(described).fact("engine.first_transaction_s")) * 1e3 for _ in range(20)]
    first_ms = statistics.median(values)
    outcome.add(
        "agent start to first transaction: ms",
        iGen=number(first_ms),
        range=Comparison({"": values}).spread(""),
    )
    outcome.goals["first_transaction_ms"] = Goal(first_ms, "< 10")


def memory(outcome: Outcome, long_s: float) -> None:
    """Peak memory of a long run against a short one."""

    def peak(measure_s: float) -> float:
        return float(agent.peak_memory_bytes(agent.job("noop", 1, measure_s, placement=THREAD)))

    # Memory does not depend on what else the machine does: three pairs show it.
    peaks = alternate({"short": partial(peak, 1.0), "long": partial(peak, long_s)}, 3)
    ratio = peaks.ratio("long", "short")
    for side, length in (("short", 1.0), ("long", long_s)):
        outcome.add(
            f"noop for {length:.0f} s: peak memory, MiB",
            iGen=number(peaks.median(side) / MIB),
        )
    outcome.add(f"peak memory, {long_s:.0f} s against 1 s", iGen=number(ratio))
    outcome.goals["memory_growth"] = Goal(ratio, "<= 1.05")


def users(outcome: Outcome, run_s: float) -> None:
    """Ten thousand users who think."""
    described = agent.job("model", 10_000, max(run_s, 3.0))
    described["load"]["closed"]["think_time_s"] = 1.0
    described["params"] = {"service_time": "1ms", "servers": 100}
    peak = statistics.median(agent.peak_memory_bytes(described) for _ in range(3))
    outcome.add("model, 10,000 users with think time: peak memory, MiB", iGen=number(peak / MIB))
    outcome.goals["memory_10000_users_mib"] = Goal(peak / MIB, "< 64")


def beside_sysbench(outcome: Outcome, run_s: float) -> None:
    """CPU time of an empty transaction beside an empty event."""
    sysbench.install()
    empty = [(1, sysbench.TRIVIAL_CPU), (2, sysbench.TRIVIAL_CPU), (64, sysbench.TRIVIAL_CPU)]
    for threads, test in [*empty, (1, sysbench.TRIVIAL_THREADS)]:
        compared = alternate(
            {
                "iGen": partial(_noop_cpu_ns, threads, run_s),
                "sysbench": partial(_sysbench_cpu_ns, test, threads, run_s),
            },
            5,
        )
        what = f"empty event, {test[0]} test, {threads} thread{'s' if threads > 1 else ''}: CPU ns"
        _compare(outcome, what, compared)
        if test is sysbench.TRIVIAL_CPU:
            ratio = compared.ratio("iGen", "sysbench")
            outcome.goals[f"event_cpu_ratio_to_sysbench_{threads}"] = Goal(ratio, "<= 1")


def threads_beside_sysbench(outcome: Outcome) -> None:
    """CPU time to start and end a thousand threads."""
    described = agent.job("noop", 1000, 0.01, placement=THREAD)
    idle = {"closed": {"users": 1000, "think_time_s": 60}}
    compared = alternate(
        {
            "iGen": lambda: agent.run({**described, "load": idle}).execution.cpu_s * 1e3,
            "sysbench": lambda: sysbench.run(sysbench.TRIVIAL_MUTEX, 1000, 1).execution.cpu_s * 1e3,
        },
        5,
    )
    _compare(outcome, "one event on each of 1,000 threads, mutex test: CPU ms", compared)


def command_line(outcome: Outcome) -> None:
    """What it costs to be asked for help: the imports."""
    values = [execute([str(IGEN), "--help"]).cpu_s * 1e3 for _ in range(11)]
    outcome.add(
        "igen --help: CPU ms",
        iGen=number(statistics.median(values)),
        range=Comparison({"": values}).spread(""),
    )
    outcome.goals["igen_help_cpu_ms"] = Goal(statistics.median(values), "< 150")


def _noop_cpu_ns(users: int, run_s: float) -> float:
    return agent.run(agent.job("noop", users, run_s, placement=THREAD)).cpu_ns_per_transaction


def _sysbench_cpu_ns(test: tuple[str, ...], threads: int, run_s: float) -> float:
    return sysbench.run(test, threads, run_s).cpu_ns_per_event


def _compare(outcome: Outcome, what: str, compared: Comparison) -> None:
    outcome.add(
        what,
        iGen=number(compared.median("iGen")),
        range=compared.spread("iGen"),
        sysbench=number(compared.median("sysbench")),
        ratio=number(compared.ratio("iGen", "sysbench")),
    )
