"""Devices as iostat has them, and physical against logical I/O."""

from __future__ import annotations

from collections import Counter

import pytest

from igen.aspects.storage.measure import device_io_of, page_cache
from igen.aspects.storage.parts import DeviceIo
from igen.aspects.storage.reached import beside_storage
from igen.judge.record.recording import Recording
from tests.judge.synthetic import level_runs, readings, recording, snapshot, statistics

BLOCK = 8192
MEMBER = {
    "reads": 0.0,
    "writes": 250.0,
    "read_bytes": 0.0,
    "written_bytes": 250.0 * BLOCK,
    "read_time_s": 0.0,
    "write_time_s": 0.5,
    "busy_s": 0.4,
    "weighted_s": 0.5,
    "flushes": 10.0,
}


def io(reads: int, writes: int, **devices: dict[str, float]) -> Recording:
    """So many logical reads and writes of a block each second, beside these counters of devices."""
    counters = Counter(read_bytes=reads * BLOCK, written_bytes=writes * BLOCK)
    operations = {"read": statistics(reads, 1.0), "write": statistics(writes, 1.0)}
    made = recording(
        snapshots=[
            snapshot(i, statistics(reads + writes, 1.0), counters=dict(counters), operations=operations)
            for i in range(10)
        ]
    )
    for name, per_s in devices.items():
        made.readings.update(readings("device", per_s, name))
    return made


def found(*made: Recording) -> DeviceIo:
    result = device_io_of(level_runs(*made))
    assert result is not None
    return result


def test_a_device_as_iostat_has_it() -> None:
    counters = MEMBER | {"reads": 500.0, "read_bytes": 2_048_000.0, "read_time_s": 2.0, "weighted_s": 2.5}
    device = found(io(500, 250, vda=counters)).devices["vda"]
    assert (device.reads_per_s, device.writes_per_s) == pytest.approx((500, 250))
    assert (device.mean_read_bytes, device.mean_write_bytes) == pytest.approx((4096, BLOCK))
    assert (device.read_time_ms, device.write_time_ms) == pytest.approx((4, 2))
    assert (device.queue_length, device.busy_percent, device.flushes_per_s) == pytest.approx((2.5, 40, 10))


def test_an_idle_device_has_no_mean_request() -> None:
    device = found(io(0, 1, vda=dict.fromkeys(MEMBER, 0.0))).devices["vda"]
    assert (device.reads_per_s, device.busy_percent, device.queue_length) == (0, 0, 0)
    assert device.mean_read_bytes is device.read_time_ms is device.mean_write_bytes is None


def test_a_mirrored_write_counts_twice() -> None:
    mirror = found(io(0, 250, loop0=MEMBER, loop1=MEMBER))
    assert list(mirror.devices) == ["loop0", "loop1"]
    assert (mirror.logical_writes_per_s, mirror.physical_writes_per_s) == pytest.approx((250, 500))
    assert (mirror.writes_per_write, mirror.written_bytes_per_byte) == pytest.approx((2, 2))
    assert mirror.more_reads_per_write == 0
    assert mirror.reads_per_read is None


def test_the_reads_of_a_parity_write_show() -> None:
    """100 reads and 100 writes: each write reads old data and old parity, on two of three devices."""
    member = MEMBER | {"reads": 100.0, "writes": 200 / 3}
    parity = found(io(100, 100, sda=member, sdb=member, sdc=member))
    assert parity.physical_reads_per_s == pytest.approx(300)
    assert (parity.writes_per_write, parity.more_reads_per_write) == pytest.approx((2, 2))
    assert parity.reads_per_read is None


def test_reads_alone_are_held_against_reads() -> None:
    reads = found(io(1000, 0, vda=MEMBER | {"reads": 250.0, "read_bytes": 250.0 * BLOCK, "writes": 0.0}))
    assert (reads.reads_per_read, reads.read_bytes_per_byte) == pytest.approx((0.25, 0.25))
    assert reads.writes_per_write is reads.more_reads_per_write is None


def test_repeats_are_averaged() -> None:
    two = found(io(0, 250, vda=MEMBER), io(0, 500, vda=MEMBER | {"writes": 750.0}))
    assert (two.logical_writes_per_s, two.physical_writes_per_s) == pytest.approx((375, 500))
    assert two.devices["vda"].writes_per_s == pytest.approx(500)


def test_a_device_that_went_away_early_is_not_counted() -> None:
    made = io(0, 250, loop0=MEMBER)
    made.readings.update(readings("device", MEMBER, "loop1", seconds=3))
    assert list(found(made).devices) == ["loop0"]


def test_nobody_followed_a_device() -> None:
    assert device_io_of(level_runs(recording())) is None


def test_a_file_system_without_direct_io_is_told() -> None:
    for direct in (False, [True, False]):
        refused = [recording(facts={"io.direct": direct, "io.direct_refused": True}) for _ in range(2)]
        (note,) = page_cache(level_runs(*refused))
        assert (note.rule, note.row.grade) == ("page-cache", "VALID")
        assert [part.name for part in note.parts] == ["some_targets"] * isinstance(direct, list)
    for direct in (True, False):
        assert not any(
            page_cache(level_runs(recording(facts={"io.direct": direct, "io.direct_refused": False})))
        )


def rules(made: Recording) -> list[str]:
    (run,) = level_runs(made).all
    return [each.rule for each in beside_storage(run)]


@pytest.mark.parametrize(
    ("facts", "rule"),
    [
        ({"io.written_before": 0.5}, ["data-unwritten"]),
        ({"io.written_before": 0.995}, []),
        ({"io.written_before": 1}, []),
        ({"io.in_memory": True}, ["storage-in-memory"]),
        ({"io.in_memory": False}, []),
    ],
)
def test_a_load_that_is_not_of_storage_is_suspect(facts: dict[str, object], rule: list[str]) -> None:
    made = io(1000, 0)
    made.facts.update(facts)
    assert rules(made) == rule
    only_writes = io(0, 1000)
    only_writes.facts.update(facts)
    assert rules(only_writes) == [each for each in rule if each != "data-unwritten"]


@pytest.mark.parametrize(
    ("direct", "share", "rule"), [(True, 0.4, ["reads-elsewhere"]), (True, 0.6, []), (False, 0.4, [])]
)
def test_direct_reads_reach_the_devices(direct: bool, share: float, rule: list[str]) -> None:
    made = io(1000, 0, vda=MEMBER | {"read_bytes": share * 1000 * BLOCK})
    made.facts["io.direct"] = direct
    assert rules(made) == rule
