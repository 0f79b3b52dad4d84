"""Bandwidth by kernel and latency of memory, at the least and the most threads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from igen.aspects.memory.kernels import best_of, kernels_at
from igen.judge.curve.named import load_of, named
from igen.judge.result import Finding, Level, Part, System
from igen.judge.trust.finding import figure, finding

NAMED = ("read", "write", "copy", "triad")
"""Kernels that are named; all if none of these was measured."""


def memory_observations(system: System, levels: Sequence[Level]) -> Iterator[Finding]:
    """Yield findings about the least and the most users; nothing for other workloads."""
    measured = [level for level in levels if kernels_at(level)]
    for level in dict.fromkeys(measured[index].level for index in ([0, -1] if measured else [])):
        yield from _level(system, next(each for each in measured if each.level == level))


def _level(system: System, level: Level) -> Iterator[Finding]:
    best = best_of(kernels_at(level))
    shown = {kind: kernel for kind, kernel in best.items() if kind.split()[0] in NAMED} or best
    parts = [
        part
        for kind, kernel in shown.items()
        if kernel.bytes_per_s
        for part in (figure("bytes_per_s", kernel.bytes_per_s, kind), Part(name="width", text=kernel.width))
    ]
    if parts:
        yield finding("memory-bandwidth", named(system), load_of(system, level), *parts)
    for kernel in kernels_at(level).values():
        if kernel.access_ns:
            latency = figure("access_ns", kernel.access_ns)
            yield finding("memory-latency", named(system), load_of(system, level), latency)
