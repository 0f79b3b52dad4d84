"""What a client costs while its load is steady: start-up, connecting and the end are not in it.

Each client reports its rate about once a second: a snapshot of iGen, a progress line of pgbench, an
intermediate report of sysbench, an interval of searchrate. When such a line arrives, the processor time of
the client's process is read. Rates, times and processor times between two such lines are the measurement,
the same for every client.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

LINES_KEPT = 20
"""Last lines of output that are no reports, for the error when the client fails."""


@dataclass(frozen=True, slots=True)
class Client:
    """A program that puts load on a server and reports its rate about once a second."""

    command: list[str]
    rate_per_s: Callable[[str], float | None]
    """Transactions a second since the last report, if this line of output is one; else None."""
    stdin: str = ""


@dataclass(frozen=True, slots=True)
class Window:
    """Which of the reports count: `warmup_s` are left out, `measure_s` follow. Whole seconds."""

    warmup_s: int
    measure_s: int

    @property
    def run_s(self) -> int:
        """How long the client must run: one second more, since the last report of a run may be missing."""
        return self.warmup_s + self.measure_s + 1


@dataclass(frozen=True, slots=True)
class Mark:
    """A report, when it arrived."""

    at_s: float
    cpu_s: float
    """User and system time of the client up to now."""
    rate_per_s: float


@dataclass(frozen=True, slots=True)
class Steady:
    """A client under steady load."""

    cpu_us_per_transaction: float
    """User and system time of the client's process, all threads."""
    throughput_per_s: float


def run(client: Client, window: Window) -> Steady:
    """Runs `client`, which must run for `window.run_s`, to its end.

    Raises RuntimeError with its last output when it fails or reports too seldom.
    """
    marks: list[Mark] = []
    other_lines: deque[str] = deque(maxlen=LINES_KEPT)
    pipe = subprocess.PIPE
    process = subprocess.Popen(client.command, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT, text=True)
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            clock = process_clock(process.pid)
            process.stdin.write(client.stdin)
            process.stdin.close()
            for line in process.stdout:
                rate_per_s = client.rate_per_s(line)
                if rate_per_s is None:
                    other_lines.append(line)
                else:
                    marks.append(Mark(time.monotonic(), time.clock_gettime(clock), rate_per_s))
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        text = "".join(other_lines)[-2000:]
        raise RuntimeError(f"{client.command[0]} ended with exit code {process.returncode}: {text}")
    return between(marks, window)


def between(marks: Sequence[Mark], window: Window) -> Steady:
    """What happened in the window: from the last report of the warm-up on."""
    counted = marks[window.warmup_s - 1 : window.warmup_s + window.measure_s]
    if len(counted) != window.measure_s + 1:
        raise RuntimeError(f"{len(marks)} reports are too few for {window}")
    transactions = sum(mark.rate_per_s * (mark.at_s - before.at_s) for before, mark in pairwise(counted))
    first, last = counted[0], counted[-1]
    if transactions == 0:
        raise RuntimeError("the client reported no transactions")
    return Steady(
        cpu_us_per_transaction=(last.cpu_s - first.cpu_s) * 1e6 / transactions,
        throughput_per_s=transactions / (last.at_s - first.at_s),
    )


def process_clock(pid: int) -> int:
    """The clock of the processor time of process `pid`: all its threads, also ended ones, in nanoseconds.

    `/proc/<pid>/stat` has steps of 10 ms, `/proc/<pid>/schedstat` is of one thread.
    """
    clock = ctypes.c_int()
    error = ctypes.CDLL(None).clock_getcpuclockid(ctypes.c_int(pid), ctypes.byref(clock))
    if error:
        raise RuntimeError(f"no processor clock of process {pid}: {os.strerror(error)}")
    return clock.value
