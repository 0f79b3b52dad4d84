"""Physical against logical I/O: what reached the devices below the targets, and what the workload asked for.

Device by device the definitions are iostat's (sysstat), from the kernel's counters
(Documentation/admin-guide/iostats.rst): a mean time is time over requests, the mean queue length is the
weighted time over the elapsed time, busy is the time with a request in flight over the elapsed time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from igen.aspects.storage.parts import DeviceIo, DeviceResult
from igen.facts import IO_DIRECT, IO_DIRECT_REFUSED
from igen.judge.aspect import LevelRuns
from igen.judge.result import Finding, Part
from igen.judge.run.measured import MeasuredRun
from igen.judge.run.resources import Host, mean_of
from igen.judge.trust.finding import finding

MONITOR = "device"
READ, WRITE = "read", "write"
"""Operations of the workload that are logical I/Os."""
READ_BYTES, WRITTEN_BYTES = "read_bytes", "written_bytes"
"""Counters of the workload, and of the devices."""


def device_io_of(runs: LevelRuns) -> DeviceIo | None:
    """Means over runs; None where no device was followed."""
    followed = [run for run in runs.used if devices_of(run.host)]
    if not followed:
        return None
    names = dict.fromkeys(name for run in followed for name in devices_of(run.host))
    logical_reads = _mean(_operations_per_s(run, READ) for run in followed) or 0.0
    logical_writes = _mean(_operations_per_s(run, WRITE) for run in followed) or 0.0
    physical = {
        counter: _mean(run.host.sum_per_s(MONITOR, [counter], names) for run in followed)
        for counter in ("reads", "writes", READ_BYTES, WRITTEN_BYTES)
    }
    reads, writes = physical["reads"], physical["writes"]
    return DeviceIo(
        devices={
            name: mean_of(DeviceResult, [_device(run.host, name) for run in followed]) for name in names
        },
        logical_reads_per_s=logical_reads,
        logical_writes_per_s=logical_writes,
        physical_reads_per_s=reads,
        physical_writes_per_s=writes,
        reads_per_read=None if logical_writes else _quotient(reads, logical_reads),
        more_reads_per_write=_quotient(
            None if reads is None else max(reads - logical_reads, 0.0), logical_writes
        ),
        writes_per_write=_quotient(writes, logical_writes),
        read_bytes_per_byte=_quotient(
            physical[READ_BYTES], _mean(counter_per_s(run, READ_BYTES) for run in followed)
        ),
        written_bytes_per_byte=_quotient(
            physical[WRITTEN_BYTES], _mean(counter_per_s(run, WRITTEN_BYTES) for run in followed)
        ),
    )


def page_cache(runs: LevelRuns) -> Iterator[Finding]:
    """Yield a note if the page cache was to be bypassed and could not be, for all targets or for some."""
    refused = [run.recording.facts for run in runs.used if run.recording.facts.get(IO_DIRECT_REFUSED)]
    if refused:
        some = any(isinstance(facts.get(IO_DIRECT), list) for facts in refused)
        yield finding("page-cache", *([Part(name="some_targets", figure=1)] if some else []), scope="level")


def devices_of(host: Host) -> list[str]:
    """Return the devices that were followed from the start to the end of the measured time."""
    return [name for name in host.subjects(MONITOR) if host.ends(MONITOR, name) is not None]


def _device(host: Host, name: str) -> DeviceResult:
    def per_s(counter: str) -> float | None:
        return host.per_s(MONITOR, counter, name)

    reads, writes, busy = per_s("reads"), per_s("writes"), per_s("busy_s")
    return DeviceResult(
        reads_per_s=reads,
        writes_per_s=writes,
        read_bytes_per_s=per_s(READ_BYTES),
        written_bytes_per_s=per_s(WRITTEN_BYTES),
        flushes_per_s=per_s("flushes"),
        mean_read_bytes=_quotient(per_s(READ_BYTES), reads),
        mean_write_bytes=_quotient(per_s(WRITTEN_BYTES), writes),
        read_time_ms=_quotient(_ms(per_s("read_time_s")), reads),
        write_time_ms=_quotient(_ms(per_s("write_time_s")), writes),
        queue_length=per_s("weighted_s"),
        # The kernel counts whole milliseconds, a request at a time.
        busy_percent=None if busy is None else min(100 * busy, 100.0),
    )


def _operations_per_s(run: MeasuredRun, name: str) -> float:
    operation = run.operations.get(name)
    return operation.count / run.measured_s if operation and run.measured_s else 0.0


def counter_per_s(run: MeasuredRun, name: str) -> float:
    """Return how fast a counter of the workload grew."""
    return run.counters[name] / run.measured_s if run.measured_s else 0.0


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else 1e3 * seconds


def _quotient(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole else None


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
