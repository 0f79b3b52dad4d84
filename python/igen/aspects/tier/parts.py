"""What tiers add to a level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from igen.judge.estimate import Estimate
from igen.judge.result import Level, LevelPart, aspect

UNATTRIBUTED_PERCENT = 5.0
"""Share of the host: where others used more, what the tiers used is not the whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TierResult:
    """What one tier used."""

    name: str
    source: str
    """Where its figures come from: `control group /system.slice/nginx.service (version 2)`."""
    capacity_processors: float
    """Processors that it may use."""
    busy_processors: Estimate
    """Seconds of processor time a second."""
    cpu_percent: Estimate
    """The same as a share of its own capacity, 0 to 100: those of different capacities do not average."""
    cpu_ms_per_transaction: Estimate | None
    """None without transactions."""
    throttled_percent: float | None
    """Share of the time in which its quota held it back; None where it is not told."""
    memory_bytes: float | None
    memory_bytes_per_user: float | None
    processes: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiers(LevelPart):
    """What each tier used, and what is left of the host."""

    kind: Literal["tiers"] = "tiers"
    tiers: list[TierResult]
    """In the order of the job's."""
    busy_processors: float
    """Those of all tiers together."""
    cpu_ms_per_transaction: float | None
    memory_bytes: float | None
    """Sum of all tiers; None where that of one is not known."""
    memory_bytes_per_user: float | None
    host_processors: int
    """0 where the host was not read."""
    host_cpu_percent: float | None
    """Busy time of all processors of the host, 0 to 100."""
    driver_cpu_percent: float | None
    """The load driver with its monitors."""
    interrupts_cpu_percent: float | None
    unattributed_cpu_percent: float | None
    """Programs that are neither a tier nor the driver nor otherwise of interest."""

    @property
    def share_processors(self) -> bool:
        """Whether the tiers may use more processors together than there are."""
        together = sum(tier.capacity_processors for tier in self.tiers)
        return bool(self.host_processors) and together > self.host_processors


def tiers_at(level: Level) -> Tiers | None:
    """The tiers of a level; None without any."""
    return aspect(level, Tiers)
