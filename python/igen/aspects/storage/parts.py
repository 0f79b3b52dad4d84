"""What reached the devices below the targets, as part of the result document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from igen.judge.result import LevelPart


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceResult:
    """Input and output of one device below the targets, as the kernel counts it, mean over repeats.

    The names in brackets are those of iostat.
    """

    reads_per_s: float | None = None
    """Requests, after the kernel has joined or split them (r/s)."""
    writes_per_s: float | None = None
    """(w/s)"""
    read_bytes_per_s: float | None = None
    written_bytes_per_s: float | None = None
    flushes_per_s: float | None = None
    """(f/s)"""
    mean_read_bytes: float | None = None
    """Mean size of one request (rareq-sz)."""
    mean_write_bytes: float | None = None
    """(wareq-sz)"""
    read_time_ms: float | None = None
    """Mean, from the request's arrival in the device's queue to its end (r_await)."""
    write_time_ms: float | None = None
    """(w_await)"""
    queue_length: float | None = None
    """Mean number of requests waiting or in service (aqu-sz)."""
    busy_percent: float | None = None
    """Share of the time with a request in flight (%util): a device that serves many can take more at 100."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceIo(LevelPart):
    """What reached the devices below the targets, beside what the workload asked for, mean over repeats.

    Logical I/O is the workload's, physical I/O the devices' together: a mirrored write is one and two, a
    small write to a RAID-5 one, two and the reads of old data and parity.
    """

    kind: Literal["storage"] = "storage"
    devices: dict[str, DeviceResult]
    """By the kernel's name: `vda`, `loop0`."""
    logical_reads_per_s: float
    logical_writes_per_s: float
    physical_reads_per_s: float | None = None
    physical_writes_per_s: float | None = None
    reads_per_read: float | None = None
    """Physical per logical; None without logical reads, and where writes may read too."""
    more_reads_per_write: float | None = None
    """Physical reads beyond the logical ones, per logical write; None without logical writes."""
    writes_per_write: float | None = None
    """Physical per logical; None without logical writes."""
    read_bytes_per_byte: float | None = None
    written_bytes_per_byte: float | None = None
