"""What the system tools look at in their bench: threads that compute, and programs that end at once."""

from __future__ import annotations

import mmap
import os
import struct
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench import peers
from bench.process import ROOT

LINE_BYTES = 64
"""What each thread of `counting_loop.c` has to itself."""
PROGRAM = "igen_bench_exit"
"""The program that ends at once; the kernel keeps 15 letters of a name."""
BEGIN_LIMIT_S = 30.0


@dataclass(frozen=True, slots=True)
class Mark:
    """How far the threads are."""

    at_s: float
    rounds: int
    waited_s: float
    """For how long they have waited for a processor, all together."""


@dataclass(frozen=True, slots=True)
class Speed:
    """How fast they were between two marks."""

    per_s: float
    """Rounds in a second of the clock."""
    per_s_without_waiting: float
    """Rounds in a second in which they had a processor or stood still: what others took is not in it."""


def between(first: Mark, last: Mark, threads: int) -> Speed:
    """The speed between two marks. Raises RuntimeError when nothing was done."""
    rounds, elapsed_s = last.rounds - first.rounds, last.at_s - first.at_s
    own_s = elapsed_s - (last.waited_s - first.waited_s) / threads
    if rounds <= 0 or own_s <= 0:
        raise RuntimeError(f"the loop did nothing for {elapsed_s:.3g} s")
    return Speed(rounds / elapsed_s, rounds / own_s)


@dataclass(frozen=True, slots=True)
class Loop:
    """A program that computes until it is killed."""

    pid: int
    threads: int
    counts: mmap.mmap

    def mark(self) -> Mark:
        """How far it is now."""
        starts = range(0, self.threads * LINE_BYTES, LINE_BYTES)
        rounds = sum(struct.unpack_from("=Q", self.counts, start)[0] for start in starts)
        return Mark(time.monotonic(), rounds, waited_s(self.pid))


def waited_s(pid: int) -> float:
    """For how long all threads of a process have waited for a processor, from `schedstat`."""
    files = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(file.read_text(encoding="utf-8").split()[1]) for file in files) / 1e9


@contextmanager
def counting_loop(threads: int) -> Iterator[Loop]:
    """Runs `bench/counting_loop.c`."""
    program = compiled("counting_loop", "counting_loop.c", "-pthread")
    with tempfile.NamedTemporaryFile() as file:
        os.ftruncate(file.fileno(), threads * LINE_BYTES)
        with mmap.mmap(file.fileno(), threads * LINE_BYTES, prot=mmap.PROT_READ) as counts:
            process = subprocess.Popen([program, file.name, str(threads)])
            try:
                loop = Loop(process.pid, threads, counts)
                deadline_s = time.monotonic() + BEGIN_LIMIT_S
                while loop.mark().rounds == 0:
                    if process.poll() is not None or time.monotonic() > deadline_s:
                        raise RuntimeError(f"{program} does not compute")
                    time.sleep(0.01)
                yield loop
            finally:
                process.kill()
                process.wait()


@dataclass(frozen=True, slots=True)
class Started:
    """Programs that have been started, and have ended."""

    programs: int
    per_s: float


def start_programs(rate_per_s: float, length_s: float) -> Started:
    """Starts programs that end at once, from as many processes as there are processors."""
    program = compiled(PROGRAM, "short_lived.c", "-DPROGRAM", "-static", "-nostartfiles")
    starter = compiled("short_lived", "short_lived.c")
    starters = len(os.sched_getaffinity(0))
    command = [str(starter), str(program), str(rate_per_s / starters), str(length_s)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(starters)]
    printed = [process.communicate()[0] for process in processes]
    if any(process.returncode != 0 for process in processes):
        raise RuntimeError(f"{starter} cannot start {program}")
    counts = [line.split() for line in printed]
    programs = sum(int(started) for started, _ in counts)
    return Started(programs, programs / max(float(elapsed_s) for _, elapsed_s in counts))


def compiled(name: str, source: str, *flags: str) -> Path:
    """A C program of this folder."""
    peers.need("gcc", "gcc")
    peers.CACHE.mkdir(parents=True, exist_ok=True)
    program = peers.CACHE / name
    file = ROOT / "bench" / source
    if not program.exists() or program.stat().st_mtime < file.stat().st_mtime:
        # Compiled aside and moved there: another process may be about to start it.
        fresh = program.with_suffix(f".{os.getpid()}")
        subprocess.run(["gcc", "-O2", *flags, "-o", str(fresh), str(file)], check=True)
        fresh.replace(program)
    return program
