"""What a run of `mem` says in sentences: bandwidth by kernel, latency, what more threads give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from igen.aspects.memory.kernels import best_of, kernels_at
from igen.judge.result import Level, Observation, System

RULE = "GB = 10^9 bytes, counted by STREAM's rule; nt: non-temporal stores, no figure of STREAM's"
TOLD = ("read", "write", "copy", "triad")


def memory_observations(system: System, levels: Sequence[Level]) -> Iterator[Observation]:
    """Sentences about the least and the most users; nothing of other workloads."""
    measured = [level for level in levels if kernels_at(level)]
    for level in dict.fromkeys(measured[index].level for index in ([0, -1] if measured else [])):
        yield from _level(system, next(each for each in measured if each.level == level))


def _level(system: System, level: Level) -> Iterator[Observation]:
    users = f"{level.users} user{'s' if level.users != 1 else ''}"
    best = best_of(kernels_at(level))
    told = {kind: kernel for kind, kernel in best.items() if kind.split()[0] in TOLD} or best
    phrases = [
        f"{kind} {kernel.bytes_per_s.value / 1e9:.1f} GB/s ({kernel.width})"
        for kind, kernel in told.items()
        if kernel.bytes_per_s
    ]
    if phrases:
        yield Observation(text=f"{system.name} at {users}: {', '.join(phrases)}.", evidence=RULE)
    for kernel in kernels_at(level).values():
        if kernel.access_ns:
            text = f"{system.name} at {users}: a look-up that waits for the one before takes "
            yield Observation(
                text=f"{text}{kernel.access_ns.value:.3g} ns.",
                evidence="chase through a random cycle of cache lines",
            )
