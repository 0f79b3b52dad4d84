"""The devices below the targets: physical against logical I/O by level, and each device at one level."""

from __future__ import annotations

from collections.abc import Callable

from igen.aspects.storage.parts import DeviceIo, DeviceResult
from igen.document import Column, Table
from igen.judge.result import Level, Result, aspect
from igen.layout.columns import load_columns
from igen.layout.level import level_rows
from igen.layout.number import ABSENT, column

LOGICAL, PHYSICAL = "logical, per s", "physical, per s"
PER_WRITE, PER_BYTE = "physical, per write", "physical bytes, per byte"
NOTE = (
    "logical: I/Os of the workload; physical: requests of all devices below the targets together, after the "
    "kernel has joined or split them"
)


def device_io_table(result: Result) -> Table:
    """A row for each level whose devices were followed; no columns where none were."""
    found = [(row, io) for row in level_rows(result) if (io := aspect(row.level, DeviceIo)) is not None]
    if not found:
        return Table([])
    rows, each = [row for row, _ in found], [io for _, io in found]

    def values(
        title: str, of: Callable[[DeviceIo], float | None], *, group: str = "", digits: int = 3
    ) -> Column:
        return Column(title, column([of(io) for io in each], digits=digits), group=group)

    columns = [
        *load_columns(result, rows),
        values("reads", lambda io: io.logical_reads_per_s, group=LOGICAL, digits=4),
        values("writes", lambda io: io.logical_writes_per_s, group=LOGICAL, digits=4),
        values("reads", lambda io: io.physical_reads_per_s, group=PHYSICAL, digits=4),
        values("writes", lambda io: io.physical_writes_per_s, group=PHYSICAL, digits=4),
        values("physical reads per read", lambda io: io.reads_per_read),
        values("writes", lambda io: io.writes_per_write, group=PER_WRITE),
        values("more reads", lambda io: io.more_reads_per_write, group=PER_WRITE),
        values("read", lambda io: io.read_bytes_per_byte, group=PER_BYTE),
        values("written", lambda io: io.written_bytes_per_byte, group=PER_BYTE),
        Column("busiest device", [_busiest(io) for io in each], "text"),
    ]
    return Table([column for column in columns if any(cell != ABSENT for cell in column.cells)], [NOTE])


def _busiest(io: DeviceIo) -> str:
    """`loop2 98 %`."""
    busy = {name: device.busy_percent for name, device in io.devices.items()}
    known = {name: percent for name, percent in busy.items() if percent is not None}
    if not known:
        return ABSENT
    name = max(known, key=lambda name: known[name])
    return f"{name} {known[name]:.0f} %"


def devices_table(level: Level) -> Table:
    """Each device below the targets at one level, as iostat would have it."""
    io = aspect(level, DeviceIo)
    if io is None:
        return Table([])
    devices = io.devices

    def values(
        title: str, of: Callable[[DeviceResult], float | None], *, group: str = "", unit: float = 1.0
    ) -> Column:
        found = [of(device) for device in devices.values()]
        return Column(
            title, column([None if value is None else value / unit for value in found]), group=group
        )

    columns = [
        Column("device", list(devices), "text"),
        values("reads", lambda device: device.reads_per_s, group="per s"),
        values("writes", lambda device: device.writes_per_s, group="per s"),
        values("flushes", lambda device: device.flushes_per_s, group="per s"),
        values("read", lambda device: device.read_bytes_per_s, group="MB/s", unit=1e6),
        values("written", lambda device: device.written_bytes_per_s, group="MB/s", unit=1e6),
        values("read", lambda device: device.mean_read_bytes, group="mean request, kB", unit=1e3),
        values("write", lambda device: device.mean_write_bytes, group="mean request, kB", unit=1e3),
        values("read", lambda device: device.read_time_ms, group="mean time, ms"),
        values("write", lambda device: device.write_time_ms, group="mean time, ms"),
        values("queue", lambda device: device.queue_length),
        values("busy %", lambda device: device.busy_percent),
    ]
    return Table([column for column in columns if any(cell != ABSENT for cell in column.cells)])
