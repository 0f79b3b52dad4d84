"""sysbench as a peer of the engine: its tests with the least work that they allow."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bench import peers
from bench.process import Execution, execute

TRIVIAL_CPU = ("cpu", "--cpu-max-prime=1")
"""An event that looks for primes up to 1: an empty loop."""

TRIVIAL_THREADS = ("threads", "--thread-yields=0", "--thread-locks=1")
"""An event that yields no time: an empty loop."""

TRIVIAL_MUTEX = ("mutex", "--mutex-num=1", "--mutex-locks=1", "--mutex-loops=1")
"""One event a thread, which locks once: what remains is starting and ending the threads."""


@dataclass(frozen=True, slots=True)
class SysbenchRun:
    """One run."""

    execution: Execution
    events: int

    @property
    def cpu_ns_per_event(self) -> float:
        """User and system time of the whole process by event."""
        return self.execution.cpu_s * 1e9 / self.events


def install() -> None:
    """Makes sure that sysbench is there."""
    peers.need("sysbench", "sysbench")


def run(test: tuple[str, ...], threads: int, time_s: float) -> SysbenchRun:
    """Runs `test` on `threads` threads; it takes whole seconds only."""
    name, *options = test
    limits = [f"--threads={threads}", "--events=0", f"--time={max(1, round(time_s))}"]
    execution = execute(["sysbench", name, *options, *limits, "run"])
    found = re.search(r"total number of events:\s+(\d+)", execution.output)
    if not found:
        raise RuntimeError(f"sysbench printed no number of events: {execution.output[-500:]}")
    return SysbenchRun(execution, int(found[1]))
