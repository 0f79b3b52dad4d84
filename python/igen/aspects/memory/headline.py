"""The result of a run of `mem`: its fastest pass, or its shortest look-up."""

from __future__ import annotations

from igen.aspects.memory.kernels import best_of, kernels_at
from igen.judge.curve.named import load_of, named
from igen.judge.result import Figure, Finding, Level, Part, System
from igen.judge.trust.finding import figure, finding
from igen.judge.trust.usable import has_throughput

Measured = tuple[Level, Figure, str]
"""A level, the figure of one of its kernels, and the kind of the kernel."""


def memory_headline(system: System) -> Finding:
    """Return the fastest pass of the usable levels; of a chase alone the shortest look-up."""
    usable = [level for level in system.levels if has_throughput(level)]
    passes: list[Measured] = [
        (level, kernel.bytes_per_s, kind)
        for level in usable
        for kind, kernel in best_of(kernels_at(level)).items()
        if kernel.bytes_per_s
    ]
    if passes:
        best = max(passes, key=lambda each: each[1].value)
        return _headline(system, "fastest-pass", "bytes_per_s", best)
    looks: list[Measured] = [
        (level, kernel.access_ns, kernel.kernel)
        for level in usable
        for kernel in kernels_at(level).values()
        if kernel.access_ns
    ]
    if looks:
        return _headline(system, "shortest-look-up", "access_ns", min(looks, key=lambda each: each[1].value))
    return finding("no-pass-usable", *_who(system), scope="system")


def _headline(system: System, rule: str, quantity: str, measured: Measured) -> Finding:
    level, estimate, kind = measured
    load = load_of(system, level)
    return finding(
        rule, *_who(system), load, figure(quantity, estimate, kind), scope="system", runs_used=estimate.n
    )


def _who(system: System) -> tuple[Part, Part]:
    return named(system), Part(name="workload", text=system.workload)
