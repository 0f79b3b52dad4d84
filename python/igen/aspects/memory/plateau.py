"""Where a larger array changes nothing any more: the bandwidth of memory, not of a cache.

Found from the figures, because the size of the last cache that a virtual machine reports is its host's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from igen.aspects.memory.kernels import best_of, kernels_at
from igen.facts import MEM_ARRAY_BYTES
from igen.judge.result import Observation, System
from igen.judge.usable import has_throughput
from igen.units import counted, format_bytes

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
    """All curves along the size, of one point where the size is not varied."""
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
    """The first of the values from which on all are like the last; None where the last few still differ."""
    if len(bandwidths) < LEAST_SIZES:
        return None
    last = bandwidths[-1]
    begin = len(bandwidths) - 1
    while begin > 0 and abs(bandwidths[begin - 1] - last) <= WITHIN * last:
        begin -= 1
    return begin if begin < len(bandwidths) - 1 else None


def plateau_observations(systems: Sequence[System]) -> Iterator[Observation]:
    """One sentence for each curve along the size: where `read`, or the first kind it has, levels off."""
    for sizes in sizes_of(systems):
        if len(sizes.points) < LEAST_SIZES:
            continue
        best = [best_of(kernels_at(point.system.levels[point.level])) for point in sizes.points]
        kind = next((kind for kind in best[-1] if all(kind in each for each in best)), None)
        if kind is None:
            continue
        values = [rate.value / 1e9 for each in best if (rate := each[kind].bytes_per_s)]
        begin = plateau_begin(values)
        who = f"{sizes.name}, {counted(sizes.users, 'user')}"
        smallest, largest = (format_bytes(sizes.points[at].array_bytes) for at in (0, -1))
        evidence = f"{len(values)} sizes from {smallest} to {largest}"
        if begin is None:
            text = f"{who}: {kind} has no plateau: its bandwidth still changes with the largest arrays."
        elif begin == 0:
            text = f"{who}: {kind} is the same at all sizes, {values[-1]:.3g} GB/s."
        else:
            since = format_bytes(sizes.points[begin].array_bytes)
            low, high = min(values[begin:]), max(values[begin:])
            text = (
                f"{who}: with arrays from {since} on {kind} stays at {low:.3g} to {high:.3g} GB/s: that is "
                f"memory; smaller ones are in caches, up to {max(values[:begin]):.3g} GB/s."
            )
            evidence += f"; a plateau lies within {100 * WITHIN:g} % of the largest size"
        yield Observation(text=text, evidence=evidence)
