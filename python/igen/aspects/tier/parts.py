"""What tiers add to a level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from igen.judge.figure.figure import Figure
from igen.judge.result import Level, LevelPart, Resources, SystemPart, aspect


@dataclass(frozen=True, slots=True, kw_only=True)
class TierResult:
    """What one tier used."""

    name: str
    host: str = ""
    """Name of the machine on which it runs: `db1`; empty for the load machine."""
    source: str
    """Where its figures come from: `control group /system.slice/nginx.service (version 2)`."""
    capacity_processors: float
    """Processors that it may use."""
    busy_processors: Figure
    """Seconds of processor time a second."""
    cpu_percent: Figure
    """The same as a share of its own capacity, 0 to 100: those of different capacities do not average."""
    cpu_ms_per_transaction: Figure | None
    """None without transactions."""
    throttled_percent: float | None
    """Share of the time in which its quota held it back; None where it is not told."""
    memory_bytes: float | None
    processes: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TierHost:
    """A machine that only serves."""

    name: str
    """`db1`."""
    processors: int
    """0 where they were not read."""
    resources: Resources
    """Means over runs; its driver is the agent that reads it, of which an exporter tells nothing."""
    interrupts_cpu_percent: float | None
    unattributed_cpu_percent: float | None
    """Programs that are of no tier; None where a tier is the whole machine."""
    clock_error_ms: float | None
    """By how much times of its readings may be wrong, in either direction."""

    @property
    def cpu_percent(self) -> float | None:
        """Busy time of all its processors, 0 to 100."""
        return self.resources.cpu_percent

    @property
    def monitor_cpu_percent(self) -> float | None:
        """What reading it used of them."""
        return self.resources.driver_cpu_percent


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiers(LevelPart):
    """What each tier used, and what is left of the host."""

    kind: Literal["tiers"] = "tiers"
    tiers: list[TierResult]
    """In the order of the job's."""
    not_read: list[str]
    """Tiers of the job of which nothing is known: what the others used is not the whole then."""
    busy_processors: float | None
    """Those of all tiers together; None where that of one is not known."""
    cpu_ms_per_transaction: float | None
    memory_bytes: float | None
    """Sum of all tiers; None where that of one is not known."""
    host_processors: int
    """0 where the host was not read."""
    host_cpu_percent: float | None
    """Busy time of all processors of the host, 0 to 100."""
    driver_cpu_percent: float | None
    """The load driver with its monitors."""
    interrupts_cpu_percent: float | None
    unattributed_cpu_percent: float | None
    """Programs that are neither a tier nor the driver nor otherwise of interest; None without a tier here."""
    hosts: list[TierHost]
    """The other machines on which tiers run."""

    def processors_of(self, host: str) -> int:
        """Processors of a machine by its name; 0 where they were not read."""
        other = self._other(host)
        return other.processors if other else self.host_processors

    def cpu_percent_of(self, host: str) -> float | None:
        """How busy a machine was, by its name."""
        other = self._other(host)
        return other.cpu_percent if other else self.host_cpu_percent

    def share_processors(self, host: str) -> bool:
        """Whether the tiers of a machine may use more processors together than it has."""
        together = sum(tier.capacity_processors for tier in self.tiers if tier.host == host)
        return bool(self.processors_of(host)) and together > self.processors_of(host)

    def _other(self, host: str) -> TierHost | None:
        return next((other for other in self.hosts if other.name == host), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class TierMemory:
    """Memory of one tier as a line over the users, fitted over the levels."""

    name: str
    """`all tiers` for their sum."""
    host: str = ""
    """Name of the machine on which it runs; empty for the load machine, and for the sum."""
    fixed_bytes: Figure
    """Memory without a user; `n` is the number of levels."""
    bytes_per_user: Figure
    """Memory that each further user takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TiersMemory(SystemPart):
    """Memory of each tier: a fixed part, and a part for each user."""

    kind: Literal["tiers memory"] = "tiers memory"
    tiers: list[TierMemory]


def tiers_at(level: Level) -> Tiers | None:
    """The tiers of a level; None without any."""
    return aspect(level, Tiers)
