"""Bandwidth of memory beside STREAM's operations in C, mbw and sysbench: same operation, same stores."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from bench import agent, memory_peers
from bench.comparison import alternate
from bench.outcome import Goal, Outcome, number

MIB = 2**20
ARRAY_BYTES = 128 * MIB
GOAL = ">= 1.0"
SPREAD_GOAL = "<= 0.03"

NOTES = [
    "GB/s: 10^9 bytes a second by STREAM's rule (read and write n, copy and scale 2 n, add and triad 3 n), "
    "means over all passes of a run but the first, not the best pass. Values are medians of alternating "
    "runs, ratios medians of the ratios within the rounds, ranges go from the lowest to the highest.",
    "Each thread has arrays of 128 MiB of its own, pinned, on transparent huge pages; the peers, which "
    "allocate with malloc, get them by `GLIBC_TUNABLES=glibc.malloc.hugetlb=1`.",
    "The peers are one program for each operation: what gcc -O3 -march=native -fopenmp makes of STREAM's "
    "loops (bench/stream.c, written anew; a copy becomes memcpy), mbw's memcpy and its loop, sysbench's "
    "reads and writes. They all store through the caches or leave it to the C library; iGen's side is the "
    "best of its widths with regular stores, memcpy and rep among them, chosen in a run before.",
    "Rows with nt are iGen's alone: non-temporal stores are another operation, and no figure of STREAM's.",
    "Regular stores of iGen are announced 1 KiB ahead (a prefetch of the line to be written): what the "
    "loop asks of the memory is the same.",
    "spread: highest less lowest of iGen's runs, by their median.",
]


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is measured."""

    threads: tuple[int, ...]
    rounds: int
    run_s: float
    passes: int


FULL = Extent((1, 2), 5, 2.0, 15)
QUICK = Extent((1,), 3, 1.0, 6)
Side = Callable[[], float]


def measure(*, quick: bool) -> Outcome:
    """Every operation beside every peer that has it."""
    memory_peers.install()
    extent = QUICK if quick else FULL
    columns = ("threads", "iGen", "range", "width", "peer", "peer_is", "ratio", "spread")
    outcome = Outcome("mem", columns)
    for threads in extent.threads:
        for kernel in ("read", "write", "copy", "scale", "add", "triad"):
            print(f"mem: {kernel} on {threads} ...", file=sys.stderr)
            _beside_peers(outcome, extent, kernel, threads)
            if kernel != "read":
                _non_temporal(outcome, extent, kernel, threads)
    outcome.notes += NOTES
    return outcome


def _beside_peers(outcome: Outcome, extent: Extent, kernel: str, threads: int) -> None:
    width = _best_width(extent, kernel, threads, nt=False)
    sides: dict[str, Side] = {"iGen": partial(_igen, kernel, threads, extent.run_s, width)}
    sides |= _peers(extent, kernel, threads)
    compared = alternate(sides, extent.rounds)
    ratios = {peer: compared.ratio("iGen", peer) for peer in sides if peer != "iGen"}
    best = min(ratios, key=lambda peer: ratios[peer])
    ours = compared.values["iGen"]
    spread = (max(ours) - min(ours)) / statistics.median(ours)
    for peer, ratio in ratios.items():
        outcome.add(
            f"{kernel}, GB/s",
            threads=str(threads),
            iGen=number(compared.median("iGen") / 1e9),
            range=_giga(ours),
            width=width["width"],
            peer=number(compared.median(peer) / 1e9),
            peer_is=peer,
            ratio=number(ratio),
            spread=f"{100 * spread:.1f} %",
        )
    outcome.goals[f"{kernel}_{threads}_to_best_peer"] = Goal(ratios[best], GOAL)
    outcome.goals[f"{kernel}_{threads}_spread"] = Goal(spread, SPREAD_GOAL)


def _non_temporal(outcome: Outcome, extent: Extent, kernel: str, threads: int) -> None:
    width = _best_width(extent, kernel, threads, nt=True)
    runs = [_igen(kernel, threads, extent.run_s, width) for _ in range(extent.rounds)]
    outcome.add(
        f"{kernel} nt, GB/s",
        threads=str(threads),
        iGen=number(statistics.median(runs) / 1e9),
        range=_giga(runs),
        width=width["width"],
        spread=f"{100 * (max(runs) - min(runs)) / statistics.median(runs):.1f} %",
    )


def _peers(extent: Extent, kernel: str, threads: int) -> dict[str, Side]:
    if kernel in ("read", "write"):
        run_s = max(1, round(extent.run_s))
        return {"sysbench": partial(memory_peers.sysbench, kernel, ARRAY_BYTES, threads, run_s)}
    sides: dict[str, Side] = {
        "STREAM in C": partial(memory_peers.stream, kernel, ARRAY_BYTES, threads, extent.passes)
    }
    if kernel == "copy" and threads == 1:
        for method in ("MEMCPY", "DUMB"):
            sides[f"mbw {method}"] = partial(memory_peers.mbw, method, ARRAY_BYTES, extent.passes)
    return sides


def _best_width(extent: Extent, kernel: str, threads: int, *, nt: bool) -> dict[str, str]:
    """The parameters of the best width in a short run of all that this processor has."""
    job = _job({"kernel": kernel}, threads, 4 * extent.run_s)
    run = agent.run(job)
    kernels: dict[str, dict[str, Any]] = run.fact("mem.kernels")
    names = [name for name, each in kernels.items() if (each.get("stores") == "nt") == nt]
    mean_s = {name: _mean_pass_s(run, name) for name in names}
    best = kernels[min(names, key=lambda name: mean_s[name])]
    return {name: best[name] for name in ("width", "stores") if name in best}


def _mean_pass_s(run: agent.AgentRun, operation: str) -> float:
    found = [
        each
        for event in run.events
        if "snapshot" in event
        and event["snapshot"]["phase"] == "measure"
        and (each := event["snapshot"]["operations"].get(operation))
    ]
    passes = sum(each["count"] for each in found)
    return sum(each["service_time"]["sum_ns"] for each in found) / 1e9 / passes if passes else float("inf")


def _igen(kernel: str, threads: int, run_s: float, width: dict[str, str]) -> float:
    """Bytes a second of one run."""
    run = agent.run(_job({"kernel": kernel, **width}, threads, run_s))
    snapshots = [event["snapshot"] for event in run.events if "snapshot" in event]
    measured = [each for each in snapshots if each["phase"] == "measure"]
    measured_s = sum(each["end_s"] - each["start_s"] for each in measured)
    return float(sum(each["counters"]["bytes"] for each in measured) / measured_s)


def _job(params: dict[str, str], threads: int, run_s: float) -> dict[str, Any]:
    job = agent.job("mem", threads, run_s)
    job["params"] = {"size_bytes": ARRAY_BYTES, "pages": "thp", **params}
    return job


def _giga(rates: list[float]) -> str:
    return f"{min(rates) / 1e9:.4g} to {max(rates) / 1e9:.4g}"
