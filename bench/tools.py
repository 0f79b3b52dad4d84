"""What the system tools cost those whom they look at, and how much of it they see."""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from bench import machine, peers, tools_load
from bench.comparison import Comparison, interleave, spread
from bench.outcome import Goal, Outcome, number
from bench.process import AGENT, Execution, execute
from bench.tools_load import Loop, Speed, Started

RATE_PER_S = 10_000.0
PFP_GOAL = "<= 5"
LOST_GOAL = "<= 0"
SHARE_GOAL = "<= 15"
PAGES_GOAL = "<= 15"
BARE_GOAL = "<= 1.1"
BARE_READ = [
    "sh",
    "-c",
    # The pages of all memory, as the tool reads them: without the addresses between.
    r"sed -n 's/^ *\([0-9a-f]*\)-\([0-9a-f]*\) : System RAM.*/\1 \2/p' /proc/iomem | "
    "while read -r first last; do "
    "start=$((0x$first / 4096 * 8)) end=$(((0x$last + 1) / 4096 * 8)); "
    "dd if=/proc/kpageflags of=/dev/null bs=256k iflag=skip_bytes,count_bytes status=none "
    "skip=$start count=$((end - start)); done",
]
"""Reads the flags of all pages, as root, and does nothing with them."""
BEFORE_S, AFTER_S = 2, 2
"""For how long `audit` and forkstat listen before the first program is started, and after the last one."""
FOUND = ["sh", "-c", '"$@" || test $? = 1', "sh"]
"""Before a tool's command: 1 is its exit code when it has found something, and no failure."""

NOTES = [
    "pfp: the speed of a program that computes without end and asks the kernel for nothing, while "
    "`igen-agent tool pfp` watches it and while it does not, in alternating rounds: the median of the "
    "slow-downs within the rounds, and their range. A goal is about the clock. Without waiting: the same, "
    "less the time in which the program waited for a processor that others had, on a busy machine.",
    "Programs: a statically linked one that ends at once, started from as many processes as there are "
    "processors, at 10,000 a second or as fast as the machine can. Unseen: of those started, how many "
    "more there were than the watcher has counted in all; programs of others hide some. Lost is what "
    "`audit` says of itself, by the numbers of the kernel's events; forkstat does not say it.",
    "A share of a core: user and system time of the watcher, from its start to its end, by program that "
    "was started, times 10,000. The looks of `audit` through /proc at either end are in it.",
    "forkstat prints its statistics only (`-q -S -e fork,exec,exit`). execsnoop is that of libbpf-tools, "
    "which needs neither headers of the kernel nor kprobes; it prints a line for each program, of which "
    "those of the bench are counted. What its part in the kernel takes is of whoever starts programs, and "
    "not in its share of a core.",
    "pages: `igen-agent tool pages` from its start to its end, as root: it looks at the flags of each page. "
    "A bare read asks the kernel for the same flags and looks at none of them: what that takes is the "
    "kernel's own, and the least for any program that counts pages. The rest finds the pages of programs: it "
    "grows with the number of processes.",
]


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is measured."""

    rounds: int
    watch_s: int


FULL = Extent(7, 4)
QUICK = Extent(2, 2)


@dataclass(frozen=True, slots=True)
class Watch:
    """What a watcher of processes saw, and what that cost."""

    started: Started
    executed: int
    """Executions that it has counted, of all programs."""
    lost: int
    """Events that it says it has lost."""
    cpu_s: float

    @property
    def unseen_percent(self) -> float:
        """Programs that it has not counted, of those started; at least so many."""
        return 100.0 * max(self.started.programs - self.executed, 0) / self.started.programs

    @property
    def core_percent(self) -> float:
        """Share of a core that it takes at the rate that is meant."""
        return 100.0 * RATE_PER_S * self.cpu_s / self.started.programs


def measure(*, quick: bool) -> Outcome:
    """Slow-down by `pfp`, events lost by `audit` beside others, the time that `pages` takes."""
    extent = QUICK if quick else FULL
    outcome = Outcome("tools", ("median", "range", "unit"))
    for threads in sorted({1, len(os.sched_getaffinity(0))}):
        _pfp(outcome, threads, extent)
    _processes(outcome, extent)
    _pages(outcome, extent)
    outcome.notes += NOTES
    return outcome


def _pfp(outcome: Outcome, threads: int, extent: Extent) -> None:
    print(f"tools: pfp of {threads} threads ...", file=sys.stderr)
    with tools_load.counting_loop(threads) as loop:
        sides = {
            "alone": partial(_speed, loop, ["sleep", str(extent.watch_s)]),
            "watched": partial(
                _speed, loop, tool("pfp", f"{extent.watch_s}s", "--exact", f"--pid={loop.pid}")
            ),
        }
        periods = interleave(sides, extent.rounds)
    speeds = {side: [speed for speed, _ in values] for side, values in periods.items()}
    seen = [stepped(output) for _, output in periods["watched"]]
    on = f"{threads} thread{'s' if threads > 1 else ''}"
    named = f"pfp: slow-down of {on}"
    clock = slow_downs(speeds, lambda speed: speed.per_s)
    own = slow_downs(speeds, lambda speed: speed.per_s_without_waiting)
    _row(outcome, named, clock, "%")
    _row(outcome, f"{named}, without waiting", own, "%")
    _row(
        outcome,
        f"pfp: instructions seen of {on}",
        [1e-3 * count / extent.watch_s for count in seen],
        "1,000 per s",
    )
    outcome.goals[f"{named}, %"] = Goal(statistics.median(clock), PFP_GOAL)


def tool(*words: str) -> list[str]:
    """The command of a tool that may find something."""
    return [*FOUND, str(AGENT), "tool", *words]


def _speed(loop: Loop, command: list[str]) -> tuple[Speed, str]:
    """The speed of the loop while a command runs, and what that printed."""
    first = loop.mark()
    output = execute(command).output
    return tools_load.between(first, loop.mark(), loop.threads), output


def stepped(output: str) -> int:
    """Instructions that `pfp` has seen. Raises RuntimeError for none: it would slow nobody down."""
    for line in map(json.loads, output.splitlines()):
        if line.get("table", {}).get("name") == "instructions":
            count = int(line["table"]["rows"][0]["count"])
            if count > 0:
                return count
    raise RuntimeError(f"pfp has seen no instruction: {output[-500:]}")


def slow_downs(speeds: dict[str, list[Speed]], of: Callable[[Speed], float]) -> list[float]:
    """By how many percent the watched were slower than those alone, in each round."""
    compared = Comparison({side: [of(speed) for speed in values] for side, values in speeds.items()})
    return [100.0 * (1.0 - ratio) for ratio in compared.ratios("watched", "alone")]


def _processes(outcome: Outcome, extent: Extent) -> None:
    sides = {"audit": partial(_audit, extent.watch_s)}
    for name, (package, version, trial, watch) in PEERS.items():
        try:
            peers.need(name, package)
            execute(trial)
        except RuntimeError as error:
            outcome.notes.append(f"Without {name}: {error}")
        else:
            sides[name] = partial(watch, extent.watch_s)
            outcome.notes.append(f"A peer is {machine.version(version)}.")
    print(f"tools: {' and '.join(sides)} ...", file=sys.stderr)
    watches = interleave(sides, extent.rounds)
    for name, seen in watches.items():
        _row(outcome, f"{name}: programs started", [watch.started.per_s for watch in seen], "per s")
        _row(outcome, f"{name}: unseen", [watch.unseen_percent for watch in seen], "%")
        what = f"{name}: core at {RATE_PER_S:,.0f} programs per s"
        _row(outcome, what, [watch.core_percent for watch in seen], "%")
    ours = watches["audit"]
    _row(outcome, "audit: events lost", [float(watch.lost) for watch in ours], "")
    outcome.goals["audit: events lost in all rounds"] = Goal(sum(watch.lost for watch in ours), LOST_GOAL)
    core_percent = statistics.median(watch.core_percent for watch in ours)
    outcome.goals[f"audit: core at {RATE_PER_S:,.0f} programs per s, %"] = Goal(core_percent, SHARE_GOAL)


def _audit(length_s: int) -> Watch:
    command = tool("audit", f"{BEFORE_S + length_s + AFTER_S}s")
    execution, started = _watch(command, length_s)
    executed, lost = told_by_audit(execution.output)
    return Watch(started, executed, lost, execution.cpu_s)


def _forkstat(length_s: int) -> Watch:
    time_s = str(BEFORE_S + length_s + AFTER_S)
    execution, started = _watch(["forkstat", "-D", time_s, "-q", "-S", "-e", "fork,exec,exit"], length_s)
    return Watch(started, told_by_forkstat(execution.output), 0, execution.cpu_s)


def _execsnoop(length_s: int) -> Watch:
    execution, started = _watch(_execsnoop_for(BEFORE_S + length_s + AFTER_S), length_s)
    return Watch(started, told_by_execsnoop(execution.output), 0, execution.cpu_s)


def _execsnoop_for(time_s: int) -> list[str]:
    """The command that has execsnoop listen for a time: it ends when it is told."""
    return ["timeout", "--preserve-status", "--signal=INT", str(time_s), "execsnoop"]


PEERS = {
    "forkstat": (
        "forkstat",
        ["forkstat", "-h"],
        ["forkstat", "-D", "1", "-q", "-S", "-e", "exec"],
        _forkstat,
    ),
    "execsnoop": ("libbpf-tools", ["execsnoop", "--version"], _execsnoop_for(1), _execsnoop),
}
"""By command: its package, how it says its version, a trial of whether it runs here, and how it watches."""


def _watch(command: list[str], length_s: int) -> tuple[Execution, Started]:
    """Runs a watcher, and starts programs while it listens."""
    with ThreadPoolExecutor(1) as pool:
        watching = pool.submit(execute, command)
        time.sleep(BEFORE_S)
        started = tools_load.start_programs(RATE_PER_S, length_s)
        return watching.result(), started


def told_by_audit(output: str) -> tuple[int, int]:
    """Programs executed, and events lost. Raises RuntimeError when it does not say them."""
    executed, lost = None, None
    for line in map(json.loads, output.splitlines()):
        if line.get("table", {}).get("name") == "events":
            counts = {row["what"]: row["count"] for row in line["table"]["rows"]}
            executed = counts.get("programs executed")
        note = line.get("note", "")
        if note.startswith("events lost: "):
            lost = int(note.removeprefix("events lost: ").removeprefix("at least "))
    if executed is None or lost is None:
        raise RuntimeError(f"audit does not say what it has seen: {output[-500:]}")
    return executed, lost


def told_by_forkstat(output: str) -> int:
    """Programs executed, from its statistics. Raises RuntimeError when it prints none."""
    lines = iter(output.splitlines())
    columns: list[str] = next((line.split() for line in lines if "Coredump" in line), [])
    if "Exec" not in columns:
        raise RuntimeError(f"forkstat printed no statistics: {output[-500:]}")
    column = columns.index("Exec")
    rows = [line.split() for line in lines]
    return sum(int(row[column]) for row in rows if len(row) >= len(columns))


def told_by_execsnoop(output: str) -> int:
    """Programs of the bench executed, from its lines. Raises RuntimeError when it prints none."""
    lines = output.splitlines()
    if not any(line.startswith("PCOMM") for line in lines):
        raise RuntimeError(f"execsnoop printed no table: {output[-500:]}")
    return sum(line.startswith(f"{tools_load.PROGRAM} ") for line in lines)


def _pages(outcome: Outcome, extent: Extent) -> None:
    print("tools: pages ...", file=sys.stderr)
    sides = {"tool": lambda: execute(tool("pages")), "bare": lambda: execute(BARE_READ)}
    runs = interleave(sides, extent.rounds)
    gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    per_gib = {side: [1e3 * run.cpu_s / gib for run in of_side] for side, of_side in runs.items()}
    times = Comparison(per_gib).ratios("tool", "bare")
    _row(outcome, "pages: time", [run.wall_s for run in runs["tool"]], "s")
    _row(outcome, "pages: processor time per GiB", per_gib["tool"], "ms")
    _row(outcome, "pages: bare read of the flags per GiB", per_gib["bare"], "ms")
    _row(outcome, "pages: processor time, to that of a bare read", times, "")
    outcome.goals["pages: processor time per GiB, ms"] = Goal(statistics.median(per_gib["tool"]), PAGES_GOAL)
    outcome.goals["pages: processor time, to that of a bare read"] = Goal(statistics.median(times), BARE_GOAL)


def _row(outcome: Outcome, what: str, values: list[float], unit: str) -> None:
    outcome.add(what, median=number(statistics.median(values)), range=spread(values), unit=unit)
