"""The size from which larger arrays change nothing: the bandwidth of memory, not of a cache.

Found from the figures, because the size of the last cache that a virtual machine reports is its host's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from igen.aspects.memory.kernels import best_of, kernels_at
from igen.facts import MEM_ARRAY_BYTES
from igen.judge.result import Finding, Part, System
from igen.judge.trust.finding import finding, parts_of
from igen.judge.trust.usable import has_throughput

WITHIN = 0.1
"""Bandwidths of a plateau lie within this share of that of the largest array."""
LEAST_SIZES = 3
"""Fewer sizes cannot show a plateau."""


@dataclass(frozen=True, slots=True)
class SizePoint:
    """A system whose arrays have this size, at one load."""

    array_bytes: int
    system: System
    level: int
    """Index in the system's levels."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Systems that differ in nothing but the size of their arrays, at one load."""

    name: str
    """Name of the systems, without the size."""
    users: int
    points: list[SizePoint]
    """In ascending order of the size."""


def sizes_of(systems: Sequence[System]) -> list[Sizes]:
    """Return all curves along the size, of one point if the size is not varied."""
    found: dict[tuple[str, int], list[SizePoint]] = {}
    for system in systems:
        array_bytes = system.facts.get(MEM_ARRAY_BYTES)
        if array_bytes is None:
            continue
        for index, level in enumerate(system.levels):
            if kernels_at(level) and has_throughput(level):
                place = name_without_size(system.name), level.users or 1
                found.setdefault(place, []).append(SizePoint(int(array_bytes), system, index))
    return [
        Sizes(name, users, sorted(points, key=lambda point: point.array_bytes))
        for (name, users), points in found.items()
    ]


def name_without_size(name: str) -> str:
    """`thp (size_bytes=1MiB, seed=1)` becomes `thp (seed=1)`."""
    name = re.sub(r"(?<=\()size_bytes=[^,)]*(, )?|, size_bytes=[^,)]*", "", name)
    return name.replace(" ()", "")


def plateau_begin(bandwidths: Sequence[float]) -> int | None:
    """Return the first value from which on all are like the last; None if the last few still differ."""
    if len(bandwidths) < LEAST_SIZES:
        return None
    last = bandwidths[-1]
    begin = len(bandwidths) - 1
    while begin > 0 and abs(bandwidths[begin - 1] - last) <= WITHIN * last:
        begin -= 1
    return begin if begin < len(bandwidths) - 1 else None


def plateau_observations(systems: Sequence[System]) -> Iterator[Finding]:
    """Yield a finding for each curve along the size: where `read`, or the first kind it has, levels off."""
    for sizes in sizes_of(systems):
        if len(sizes.points) < LEAST_SIZES:
            continue
        best = [best_of(kernels_at(point.system.levels[point.level])) for point in sizes.points]
        kind = next((kind for kind in best[-1] if all(kind in each for each in best)), None)
        if kind is None:
            continue
        values = [rate.value for each in best if (rate := each[kind].bytes_per_s)]
        begin = plateau_begin(values)
        figures: dict[str, float] = {}
        if begin is None:
            rule = "no-plateau"
        elif begin == 0:
            rule, figures = "same-at-all-sizes", {"bytes_per_s": values[-1]}
        else:
            rule = "plateau"
            figures = {
                "plateau_bytes": sizes.points[begin].array_bytes,
                "least_bytes_per_s": min(values[begin:]),
                "most_bytes_per_s": max(values[begin:]),
                "caches_bytes_per_s": max(values[:begin]),
            }
        yield finding(
            rule,
            Part(name="system", text=sizes.name),
            Part(name="kernel", text=kind),
            *parts_of(figures),
            limit=100 * WITHIN,
            unit="percent",
            users=sizes.users,
            sizes=len(values),
            smallest_bytes=sizes.points[0].array_bytes,
            largest_bytes=sizes.points[-1].array_bytes,
        )
