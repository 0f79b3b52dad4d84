"""Bandwidth and latency of memory: what each kernel of `mem` moved in the time of its passes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from igen.aspects.memory.kernels import Memory, MemoryKernel
from igen.facts import MEM_KERNELS
from igen.judge.aspect import LevelRuns
from igen.judge.figure.interval import mean_interval
from igen.judge.result import Figure, Finding, Part
from igen.judge.run.measured import MeasuredRun
from igen.judge.trust.finding import finding

"""Fact that says for each operation: kernel, width, stores, and bytes or accesses of one pass."""
NOISE = 0.03
"""Repeats whose bandwidths differ by more than this share are noisy."""


def memory_of(level: LevelRuns) -> Memory | None:
    """By operation, means over runs; None for other workloads and where no pass ended.

    All users together: users x bytes / mean time of a pass. A pass that users take in turn is timed until the
    last of them has ended it, as STREAM does.
    """
    runs = level.used
    found = {}
    for name, kernel in _described(level).items():
        timed = [run for run in runs if _passes(run, name)]
        if timed:
            found[name] = _kernel(timed, name, kernel)
    return Memory(kernels=found) if found else None


def notes_of(level: LevelRuns) -> Iterator[Finding]:
    """Yield what a reader of the level must know of its kernels."""
    yield from noise_of(level)
    yield from unmeasured_kernels(level)


def unmeasured_kernels(level: LevelRuns) -> Iterator[Finding]:
    """Yield one note for all kernels that had no turn in the measured time of any run."""
    described = _described(level)
    missed = [name for name in described if not any(_passes(run, name) for run in level.used)]
    if missed:
        names = [Part(name="kernel", text=name) for name in missed]
        yield finding("kernels-missed", *names, scope="level", kernels=len(described))


def noise_of(level: LevelRuns) -> Iterator[Finding]:
    """The repeats are noisy: highest less lowest time of a pass by their mean, the median over kernels."""
    runs = level.used
    spreads = []
    for name in _described(level):
        times = [_pass_s(run, name) for run in runs if _passes(run, name)]
        if len(times) > 1:
            spreads.append((max(times) - min(times)) / (sum(times) / len(times)))
    spread = median(spreads) if spreads else 0.0
    if spread <= NOISE:
        return
    yield finding(
        "noisy-repeats",
        scope="level",
        limit=100 * NOISE,
        unit="percent",
        spread_percent=100 * spread,
        kernels=len(spreads),
    )


def _described(level: LevelRuns) -> Mapping[str, Mapping[str, Any]]:
    """Return what a pass of each kernel reads and writes; an amount that a kernel does not have is None."""
    return level.used[0].recording.facts.get(MEM_KERNELS) or {}


def _kernel(runs: Sequence[MeasuredRun], name: str, kernel: Mapping[str, Any]) -> MemoryKernel:
    def per_s(amount: str) -> list[float]:
        if (of_pass := kernel.get(amount)) is None:
            return []
        return [(run.recording.users or 1) * of_pass / _pass_s(run, name) for run in runs]

    def estimate(values: list[float]) -> Figure | None:
        return mean_interval(values) if values else None

    accesses = kernel.get("accesses")
    access_ns = [1e9 * _pass_s(run, name) / accesses for run in runs] if accesses else []
    bytes_per_s = per_s("bytes")
    return MemoryKernel(
        kernel=kernel["kernel"],
        width=kernel.get("width") or "",
        stores=kernel.get("stores") or "",
        bytes_per_s=estimate(bytes_per_s),
        bytes_per_s_with_allocation=estimate(per_s("bytes_with_allocation")),
        access_ns=estimate(access_ns),
        runs=access_ns or bytes_per_s,
    )


def _passes(run: MeasuredRun, name: str) -> int:
    """Passes whose time is known: that of one at the very end of MEASURE may be told after it."""
    operation = run.operations.get(name)
    return operation.count if operation and operation.service_time.sum_ns else 0


def _pass_s(run: MeasuredRun, name: str) -> float:
    """Mean time of one user's pass."""
    operation = run.operations[name]
    return operation.service_time.sum_ns / 1e9 / operation.count
