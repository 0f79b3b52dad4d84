"""iGen's own share of a transaction on SQLite: everything but what the engine's calls cost.

The base is a program in C that does the same transaction by SQLite's own calls, linked with the very
library that iGen was built with. The share is the difference of processor time per transaction, so it has
everything of iGen's in it: choosing keys, finding the prepared statement, the checksum of what was read,
the timed intervals with their histograms, counters, the monitors.
"""

from __future__ import annotations

import statistics
import subprocess
import tempfile
from functools import partial
from pathlib import Path

from bench import agent, steady
from bench.comparison import Comparison, interleave, spread
from bench.outcome import Goal, Outcome, number
from bench.process import AGENT, ROOT
from bench.steady import Client, Window
from bench.transaction import Transaction

SOURCE = ROOT / "bench" / "sqlite_floor.c"
LIBRARY = "libsqlite3-sys-*/out/libsqlite3.a"
SELECTS = 4
"""The statements of the read-only transaction: the first ones."""
CACHE_KIB = 256 * 1024
"""More than the database takes: after the warm-up the engine reads nothing from files."""


def measure(outcome: Outcome, transaction: Transaction, customers: int, window: Window, rounds: int) -> None:
    """The share of iGen in a read-only transaction of one user."""
    with tempfile.TemporaryDirectory(prefix="igen-bench-") as folder:
        file = Path(folder) / "oltp.sqlite"
        target = f"sqlite:///{file}"
        agent.run(agent.preparation(transaction.workload, target, {"customers": customers}))
        selects = [statement for statement, _ in transaction.steps()[:SELECTS]]
        arguments = [str(file), str(customers), str(window.run_s), str(CACHE_KIB)]
        floor = Client([str(build(Path(folder))), *arguments, *selects], _rate_per_s)
        params = {"customers": customers, "read_only": True, "cache_bytes": f"{CACHE_KIB}KiB"}
        igen = agent.client(agent.measurement(transaction.workload, target, 1, window, params))
        sides = {"iGen": partial(steady.run, igen, window), "engine": partial(steady.run, floor, window)}
        runs = interleave(sides, rounds)
    cpu_us = {name: [run.cpu_us_per_transaction for run in side] for name, side in runs.items()}
    shares_us = [ours - base for ours, base in zip(cpu_us["iGen"], cpu_us["engine"], strict=True)]
    compared = Comparison(cpu_us)
    outcome.add(
        "SQLite, read-only, 1 user: CPU µs per transaction, and by the engine's calls alone",
        iGen=number(compared.median("iGen")),
        range=compared.spread("iGen"),
        peer=number(compared.median("engine")),
    )
    share_us = statistics.median(shares_us)
    outcome.add("SQLite, iGen's own share: CPU µs", iGen=number(share_us), range=spread(shares_us))
    outcome.goals["sqlite_own_share_us"] = Goal(share_us, "<= 2")


def build(folder: Path) -> Path:
    """Compiles the base with the library that iGen was built with; RuntimeError where that fails."""
    built = AGENT.resolve().parent / "build"
    libraries = list(built.glob(LIBRARY))
    if not libraries:
        raise RuntimeError(f"{built}/{LIBRARY} is needed: `make setup` builds it")
    newest = max(libraries, key=lambda path: path.stat().st_mtime)
    program = folder / "sqlite_floor"
    command = ["cc", "-O2", "-o", str(program), str(SOURCE), str(newest), "-lm", "-lpthread", "-ldl"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"cc: {done.stderr.strip()}")
    return program


def _rate_per_s(line: str) -> float | None:
    return float(line.split()[0]) if line.endswith(" transactions/s\n") else None
