"""Programs that move memory: STREAM's operations in C, mbw, sysbench. Bytes by STREAM's rule."""

from __future__ import annotations

import os
import re
import subprocess
from functools import cache
from pathlib import Path

from bench import peers
from bench.process import ROOT

FLAGS = ("-O3", "-march=native", "-fopenmp")
HUGE_PAGES = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
"""They allocate with malloc: with this they have the same huge pages as iGen asks for."""
MIB = 2**20


@cache
def stream_program() -> Path:
    """`bench/stream.c`, compiled for this processor."""
    peers.need("gcc", "gcc")
    peers.CACHE.mkdir(parents=True, exist_ok=True)
    program = peers.CACHE / "stream"
    source = ROOT / "bench" / "stream.c"
    # Compiled aside and moved there: another process may be about to start it.
    fresh = program.with_suffix(f".{os.getpid()}")
    subprocess.run(["gcc", *FLAGS, "-o", str(fresh), str(source)], check=True)
    fresh.replace(program)
    return program


def install() -> None:
    """Makes sure that all are there."""
    stream_program()
    peers.need("mbw", "mbw")
    peers.need("sysbench", "sysbench")


def stream(kernel: str, array_bytes: int, threads: int, passes: int) -> float:
    """Mean rate of all passes but the first; STREAM itself publishes the best."""
    environment = {"OMP_NUM_THREADS": str(threads), "OMP_PROC_BIND": "true"}
    # All threads share the arrays.
    elements = threads * array_bytes // 8
    printed = _run([str(stream_program()), kernel, str(elements), str(passes)], environment)
    return float(printed.split()[0])


def mbw(method: str, array_bytes: int, passes: int) -> float:
    """One thread copies; it counts each byte once, STREAM twice."""
    number = {"MEMCPY": "0", "DUMB": "1"}[method]
    printed = _run(["mbw", "-q", "-n", str(passes), f"-t{number}", str(array_bytes // MIB)], {})
    rates = [float(rate) for rate in re.findall(r"^AVG\s+Method: \w+.*Copy: ([\d.]+) MiB/s", printed, re.M)]
    if len(rates) != 1:
        raise RuntimeError(f"mbw printed no average: {printed[-500:]}")
    return 2 * rates[0] * MIB


def sysbench(operation: str, array_bytes: int, threads: int, time_s: int) -> float:
    """Reads or writes a block that each thread has to itself, over and over."""
    command = ["sysbench", "memory", f"--memory-block-size={array_bytes}", "--memory-scope=local"]
    command += [f"--memory-oper={operation}", "--memory-total-size=1000T", f"--threads={threads}"]
    printed = _run([*command, f"--time={time_s}", "run"], {})
    found = re.search(r"\(([\d.]+) MiB/sec\)", printed)
    if not found:
        raise RuntimeError(f"sysbench printed no rate: {printed[-500:]}")
    return float(found[1]) * MIB


def _run(command: list[str], environment: dict[str, str]) -> str:
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, env={**os.environ, **HUGE_PAGES, **environment}
    )
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with exit code {done.returncode}: {done.stderr[-500:]}")
    return done.stdout
