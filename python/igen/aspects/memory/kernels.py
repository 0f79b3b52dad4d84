"""Kernels of `mem` by what may be compared, and the best width of each; needs no arithmetic library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from igen.judge.figure.figure import Figure
from igen.judge.result import Level, LevelPart, aspect

KERNELS = ("read", "write", "copy", "scale", "add", "triad", "chase")
STORES = ("regular", "", "nt")


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryKernel:
    """What one kernel of the workload `mem` achieved, all users together; a chase has a latency alone."""

    kernel: str
    width: str
    """Width of the instruction set; empty of a chase."""
    stores: str
    """How the kernel stores, `regular` or `nt`; empty where it does not or a library chooses."""
    bytes_per_s: Figure | None
    """Bandwidth by STREAM's rule: bytes that the program reads and writes; none of STREAM's with `nt`."""
    bytes_per_s_with_allocation: Figure | None
    """Bandwidth with the reads that regular stores cause (write-allocate); None where a library stores."""
    access_ns: Figure | None
    """Time from one look-up of a chase to the next; None of other kernels."""
    runs: list[float] = field(default_factory=list)
    """What each run achieved: bytes a second as `bytes_per_s`, of a chase nanoseconds as `access_ns`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory(LevelPart):
    """What the kernels achieved at one level."""

    kind: Literal["memory"] = "memory"
    kernels: dict[str, MemoryKernel]
    """What each kernel achieved, by operation."""


def kernels_at(level: Level) -> dict[str, MemoryKernel]:
    """What each kernel achieved at a level, by operation; empty for other workloads."""
    memory = aspect(level, Memory)
    return memory.kernels if memory else {}


def kind_of(kernel: MemoryKernel) -> str:
    """What may be compared: the kernel with the kind of its stores: `read`, `copy regular`, `copy nt`.

    `copy memcpy or rep`: where a library or the processor chooses the stores.
    """
    storing = kernel.kernel not in ("read", "chase")
    stores = kernel.stores or ("memcpy or rep" if storing else "")
    return f"{kernel.kernel} {stores}".rstrip()


def best_of(kernels: Mapping[str, MemoryKernel]) -> dict[str, MemoryKernel]:
    """The width with the highest bandwidth of each kind, in the order of the kernels; no chase."""
    best: dict[str, MemoryKernel] = {}
    for kernel in sorted(kernels.values(), key=_place):
        kind = kind_of(kernel)
        if kernel.bytes_per_s and (kind not in best or _bytes_per_s(best[kind]) < kernel.bytes_per_s.value):
            best[kind] = kernel
    return best


def _place(kernel: MemoryKernel) -> tuple[int, int]:
    return KERNELS.index(kernel.kernel), STORES.index(kernel.stores)


def _bytes_per_s(kernel: MemoryKernel) -> float:
    return kernel.bytes_per_s.value if kernel.bytes_per_s else 0.0
