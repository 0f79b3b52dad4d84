"""Compare the instructions of a transaction with the record in `instructions.json`.

The programs are release builds. `noop` and `model` have a program of their own, which takes 66 s of processor
time to build; the agent takes 400 s. The count is the least of three runs. A count fails if it is above the
record by more than three times the spread of the record, and by more than 2 %. The functions that grew most
are printed. Needs valgrind; `noop` and `model` take about 12 s, all of them about 3 minutes.

    python -m checks.instructions [NAME ...]            compare
    python -m checks.instructions [NAME ...] --write    write the record anew, if growth is wanted
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from checks import callgrind, tree
from checks.callgrind import Run
from checks.counted import COUNTED, SHORT_S, Counted

RECORD = Path(__file__).with_suffix(".json")
RUNS = 3
"""Long runs for one count."""
RECORDED_COUNTS = 3
"""Counts behind a record: their range is its spread."""
LONGER = 2
"""A run with more than this number of times the transactions of the shortest run is compared with it."""
MOST_TRIES = 3
"""Runs for each run that is needed, until enough have the same clock."""
LEAST_GROWTH = 0.02
SPREADS = 3.0
LEAST_SHARE = 0.005
"""Share of a transaction below which a function is not recorded."""
MOST_NAMED = 3
IO_URING_SETUP = 425
"""Number of the system call."""


@dataclass(frozen=True, slots=True)
class Count:
    """Instructions of a transaction."""

    per_transaction: float
    spread: float
    """Range of several counts, as a part of the least of them."""
    functions: Mapping[str, float]
    """Instructions of a transaction by function, largest first."""

    @property
    def limit(self) -> float:
        """Most instructions that are not a growth."""
        return self.per_transaction * (1 + max(LEAST_GROWTH, SPREADS * self.spread))


def least(samples: Sequence[Mapping[str, float]]) -> Count:
    """Return the least of each three samples, the least of all of these, and their range."""
    groups = [samples[at : at + RUNS] for at in range(0, len(samples), RUNS)]
    totals = [min(sum(sample.values()) for sample in group) for group in groups]
    best = min(samples, key=lambda sample: sum(sample.values()))
    per_transaction = sum(best.values())
    large = {name: round(cost, 1) for name, cost in best.items() if cost >= LEAST_SHARE * per_transaction}
    functions = dict(sorted(large.items(), key=lambda item: (-item[1], item[0])))
    return Count(round(per_transaction, 1), round(max(totals) / min(totals) - 1, 4), functions)


def count(run: Callable[[float], Run], measure_s: float, clocks: Container[str] = ()) -> dict[str, Count]:
    """Return the counts by clock of the agent; `run` executes the job for a time in s.

    Three long runs with one of `clocks` are enough. For a record, without `clocks`, each clock gets nine.
    Returns nothing if no clock has enough runs after three times as many.
    """
    needed = RUNS if clocks else RUNS * RECORDED_COUNTS
    runs: dict[str, list[Run]] = {}
    for _ in range(MOST_TRIES * needed):
        if any(not _longer(of_clock) for of_clock in runs.values()) or not runs:
            short = run(SHORT_S)
            runs.setdefault(short.clock, []).append(short)
        long = run(measure_s)
        runs.setdefault(long.clock, []).append(long)
        full = {clock for clock, of_clock in runs.items() if len(_longer(of_clock)) >= needed}
        if any(clock in clocks for clock in full) if clocks else full == runs.keys():
            break
    return {
        clock: least([callgrind.per_transaction(_shortest(of_clock), long) for long in _longer(of_clock)])
        for clock, of_clock in runs.items()
        if len(_longer(of_clock)) >= RUNS
    }


def _shortest(runs: Sequence[Run]) -> Run:
    return min(runs, key=lambda each: each.transactions)


def _longer(runs: Sequence[Run]) -> list[Run]:
    """Return the runs with more than twice the transactions of the shortest one.

    A short run may have more than a long one if the machine is busy.
    """
    return [each for each in runs if each.transactions > LONGER * _shortest(runs).transactions]


def growth(recorded: Count, found: Count) -> str:
    """Return what grew in words, or nothing if the count is within the limit of the record."""
    if found.per_transaction <= recorded.limit:
        return ""
    before, now = recorded.functions, found.functions
    by_growth = sorted(now, key=lambda name: before.get(name, 0.0) - now[name])
    grown = [name for name in by_growth if now[name] > before.get(name, 0.0)][:MOST_NAMED]
    named = "; ".join(f"{name} {before.get(name, 0.0):.1f} -> {now[name]:.1f}" for name in grown)
    percent = 100 * (found.per_transaction / recorded.per_transaction - 1)
    return (
        f"{recorded.per_transaction:.1f} -> {found.per_transaction:.1f} instructions a transaction, "
        f"+{percent:.1f} %; at most {recorded.limit:.1f} are allowed. Grown most: {named}"
    )


def surroundings() -> dict[str, Any]:
    """Return what a count depends on besides the code: to valgrind all processors with AVX2 are the same."""
    return {
        "machine": platform.machine(),
        "avx2": bool(
            re.search(r"^flags\s*:.*\bavx2\b", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.M)
        ),
        "io_uring": _has_io_uring(),
        "c_library": " ".join(platform.libc_ver()),
        "valgrind": _first_line("valgrind", "--version"),
        "rust": _first_line("rustc", "--version"),
    }


def _has_io_uring() -> bool:
    """True if this process may use io_uring, which has no function in the C library."""
    ring = ctypes.CDLL(None).syscall(IO_URING_SETUP, 1, ctypes.create_string_buffer(120))
    if ring >= 0:
        os.close(ring)
    return bool(ring >= 0)


def _first_line(*command: str) -> str:
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()[0]


@cache
def release(program: str) -> Path:
    """Build a program as users have it, and return its path.

    A build of several programs would give a dependency the features that any of them needs.
    """
    subprocess.run(
        ["cargo", "build", "--release", "--quiet", "--package", program], cwd=tree.ROOT, check=True
    )
    return Path(os.environ.get("CARGO_TARGET_DIR", tree.ROOT / "target")) / "release" / program


def counted(job: Counted, clocks: Container[str] = ()) -> dict[str, Count]:
    """Return the counts of a job by clock."""
    program = release(job.program)
    with job.target() as target:
        if target:
            prepare(program, job.preparation(target))
        return count(lambda time_s: callgrind.run(program, job.job(target, time_s)), job.measure_s, clocks)


def prepare(agent: Path, job: Mapping[str, Any]) -> None:
    """Create the data of a job, at full speed. Raises RuntimeError if the agent fails."""
    done = subprocess.run(
        [agent, "run"],
        input=json.dumps(job),
        check=False,
        capture_output=True,
        text=True,
        timeout=callgrind.LIMIT_S,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{job['workload']}: {(done.stderr + done.stdout)[-2000:]}")


def recorded() -> dict[str, Any]:
    """Return the record: what it depends on, and the counts by job and clock."""
    record: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    return record


def compare(jobs: Iterable[Counted], record: Mapping[str, Any]) -> int:
    """Compare each job with the record, and return the exit code."""
    code = 0
    for job in jobs:
        before = {clock: Count(**each) for clock, each in record["counts"].get(job.name, {}).items()}
        if not before:
            print(f"instructions: {job.name}: not in the record: add it with --write")
            code = 1
            continue
        found = counted(job, before)
        compared = [clock for clock in found if clock in before]
        if not compared:
            print(f"instructions: {job.name}: not checked: no record for this clock")
        for clock in compared:
            grown = growth(before[clock], found[clock])
            code = 1 if grown else code
            now, then = found[clock].per_transaction, before[clock].per_transaction
            print(f"instructions: {job.name}: {grown or f'{now:.1f} a transaction, recorded {then:.1f}'}")
    return code


def write(jobs: Iterable[Counted], record: Mapping[str, Any]) -> int:
    """Write the record of these jobs anew; the rest is kept if it depends on the same."""
    here = surroundings()
    counts = dict(record["counts"]) if record.get("depends_on") == here else {}
    for job in jobs:
        found = counted(job)
        counts[job.name] = {clock: asdict(found[clock]) for clock in sorted(found)}
        for clock, each in found.items():
            spread = f"{100 * each.spread:.2f} % ({clock} clock)"
            print(f"instructions: {job.name}: {each.per_transaction:.1f} +- {spread}")
    names = [job.name for job in COUNTED if job.name in counts]
    text = {"depends_on": here, "counts": {name: counts[name] for name in names}}
    RECORD.write_text(json.dumps(text, indent=1) + "\n", encoding="utf-8")
    return 0


def main() -> int:
    """Run the command line, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m checks.instructions")
    parser.add_argument("names", nargs="*", choices=[[], *(job.name for job in COUNTED)])
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    jobs = [job for job in COUNTED if not asked.names or job.name in asked.names]
    if shutil.which("valgrind") is None:
        print("instructions: not checked: valgrind is missing")
        return 0
    record = recorded()
    if asked.write:
        return write(jobs, record)
    here = surroundings()
    other = [
        f"{name} {here[name]}, recorded {value}"
        for name, value in record["depends_on"].items()
        if here[name] != value
    ]
    if other:
        print(f"instructions: not checked: {'; '.join(other)}")
        return 0
    return compare(jobs, record)


if __name__ == "__main__":
    sys.exit(main())
