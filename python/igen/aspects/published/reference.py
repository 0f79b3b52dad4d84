"""Published results to lay a run beside: their tables as data, and what is to be said in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from igen.aspects.slamd.rows import SlamdStatistic
from igen.judge.record.reference import Reference


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedStatistic(SlamdStatistic):
    """A line of a published table, digit for digit."""

    counted_by: str = ""
    """The line that counts the operations which a line of times is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedTable:
    """What one published run of a workload did."""

    title: str
    workload: str
    duration_s: float
    """As published: how long it ran."""
    rows: list[PublishedStatistic]
    operations_per_s: float | None = None
    """What was published of all operations together, whose lines end in `Operations Performed`."""
    params: dict[str, Any] = field(default_factory=dict)
    """What a run of ours must ask for to be comparable; the defaults, so that it need not say them."""
    parts: dict[str, list[str]] = field(default_factory=dict)
    """Lines of times that are the steps of a transaction, by the line of its own time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedBandwidth:
    """What one published run of memspeed moved, all processors together."""

    title: str
    users: int
    """Processors."""
    read_gb_per_s: float
    write_gb_per_s: float
    copy_gb_per_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedIo:
    """What published storage did under one load; one of the rates may not have been told."""

    product: str
    load: str
    """In words: `random read, 8 KB, 8 deep`."""
    pattern: str
    """`random` or `sequential`, as the parameter of `io`."""
    read: int
    """Percent, as the parameter of `io`."""
    io_per_s: float | None = None
    bytes_per_s: float | None = None

    def is_like(self, params: Mapping[str, Any]) -> bool:
        """Whether `io` with these parameters did the same; what they do not say has its default."""
        return (params.get("pattern", "random"), params.get("read", 100)) == (self.pattern, self.read)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedTier:
    """Processes of a published application that served together."""

    name: str
    cpu_percent: float
    """Share of the tier's own processors."""
    memory_gb: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedApplication:
    """What one published run of a web application did for its users; what was not told is None."""

    product: str
    users: int
    nodes: int = 1
    """Instances of the application that shared the users."""
    transactions_per_s: float | None = None
    response_time_s: float | None = None
    """Mean."""
    cpu_percent: float | None = None
    memory_gb: float | None = None
    watts: float | None = None
    rack_units: float | None = None
    users_per_watt: str = ""
    """Digit for digit."""
    cache: str = ""
    """`on` or `off`; empty where it was not told."""
    tiers: list[PublishedTier] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedAdvantage:
    """By how much a publication says that one result is better than another."""

    text: str
    users: int
    other_users: int
    factor: str
    """Digit for digit: `1.9`."""
    metric: str = ""
    """What the factor is of, where it is not of users: `throughput`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedPeak:
    """The highest throughput that was published of a workload on one system."""

    workload: str
    system: str
    per_s: float
    response_ms: float | None = None
    """Mean."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedServers:
    """How many users a number of equal servers carried."""

    workload: str
    product: str
    server: str
    servers: int
    users: int
    chips: int
    """In each server, as are those that follow."""
    cores: int
    threads: int
    rack_units: float
    watts: float | None = None
    """All of them together, under that load; None where it was not told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedChip:
    """What a chip draws at most, and for how many threads."""

    name: str
    threads: int
    watts: float
    watts_per_thread: str
    """Digit for digit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedUpgrade:
    """Boards of one machine in the place of those of another."""

    text: str
    boards: int
    other_boards: int
    factor: float
    """Throughput of a board over that of one of the other machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedDevice:
    """Storage, and how many disks it was said to take the place of."""

    product: str
    io_per_s: float
    watts: float
    disks: int
    disk_io_per_s: float
    """What such a disk does, generously: 15,000 rpm are 250 a second, of which a seek takes its part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedSwap:
    """An example of SWaP: performance / (rack units x watts) of one machine over that of another."""

    performance: float
    rack_units: float
    watts: float
    other_performance: float
    other_rack_units: float
    other_watts: float
    factor: str
    """Digit for digit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedResults(Reference):
    """A set of published results with its tables; of a study that only has words, these alone."""

    tables: list[PublishedTable] = field(default_factory=list)
    bandwidths: list[PublishedBandwidth] = field(default_factory=list)
    io: list[PublishedIo] = field(default_factory=list)
    applications: list[PublishedApplication] = field(default_factory=list)
    advantages: list[PublishedAdvantage] = field(default_factory=list)
    peaks: list[PublishedPeak] = field(default_factory=list)
    servers: list[PublishedServers] = field(default_factory=list)
    chips: list[PublishedChip] = field(default_factory=list)
    upgrades: list[PublishedUpgrade] = field(default_factory=list)
    devices: list[PublishedDevice] = field(default_factory=list)
    swaps: list[PublishedSwap] = field(default_factory=list)
