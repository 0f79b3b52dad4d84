"""The tables of the devices below the targets."""

from __future__ import annotations

from dataclasses import replace

from igen.aspects.storage.device_tables import NOTE, device_io_table, devices_table
from igen.aspects.storage.parts import DeviceIo, DeviceResult
from igen.document import Table
from igen.judge.result import Result
from report import sample
from report.shown import every_format

DEVICE = DeviceResult(
    writes_per_s=1234.0,
    written_bytes_per_s=10_100_000.0,
    mean_write_bytes=8192.0,
    write_time_ms=0.75,
    queue_length=0.92,
    busy_percent=61.2,
)
MIRROR = DeviceIo(
    devices={"loop0": DEVICE, "loop1": replace(DEVICE, busy_percent=97.6)},
    logical_reads_per_s=0.0,
    logical_writes_per_s=1234.0,
    physical_reads_per_s=0.0,
    physical_writes_per_s=2468.0,
    more_reads_per_write=0.0,
    writes_per_write=2.0,
)


def followed(*found: DeviceIo | None) -> Result:
    result = sample.one_system()
    (system,) = result.systems
    levels = [replace(level, aspects=[io]) for level, io in zip(system.levels, found, strict=False)]
    return replace(result, systems=[replace(system, levels=levels)])


def cells(table: Table) -> dict[str, list[str]]:
    return {column.full_title: list(column.cells) for column in table.columns}


def test_physical_stands_beside_logical() -> None:
    table = device_io_table(followed(MIRROR, None, replace(MIRROR, writes_per_write=3.5)))
    found = cells(table)
    assert found["users"] == ["1", "4"]
    assert found["logical writes, per s"] == ["1,234", "1,234"]
    assert found["physical writes, per s"] == ["2,468", "2,468"]
    assert found["physical writes, per write"] == ["2.00", "3.50"]
    assert found["busiest device"] == ["loop1 98 %", "loop1 98 %"]
    assert "physical reads per read" not in found
    assert table.notes == [NOTE]
    assert device_io_table(followed(None)).columns == []


def test_each_device_of_a_level() -> None:
    (level,) = followed(MIRROR).systems[0].levels
    found = cells(devices_table(level))
    assert found["device"] == ["loop0", "loop1"]
    assert found["MB/s written"] == ["10.1", "10.1"]
    assert found["mean request write, kB"] == ["8.19", "8.19"]
    assert found["busy %"] == ["61.2", "97.6"]
    assert "per s reads" not in found
    assert devices_table(replace(level, aspects=[])).columns == []


def test_every_format_shows_it() -> None:
    page, markdown, terminal = every_format(followed(MIRROR))
    assert all("2,468" in text and "loop1" in text for text in (page, markdown, terminal))
    assert all("97.6" in text for text in (page, markdown))
