"""A real array: up, down, up again, cut off, removed. Needs root, loop devices and btrfs."""

from __future__ import annotations

import json
import mmap
import os
import random
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import pytest

from igen.cli import run_arguments
from igen.errors import IgenError
from igen.lab import control, loop
from igen.lab.loop import attached_below
from tests.lab.able import why_not

SIZE = 256 << 20


pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not() or "-")


@pytest.fixture
def directory() -> Iterator[Path]:
    folder = Path(mkdtemp(prefix="igen-arrays-test-", dir="/var/tmp"))
    yield folder
    control.down(folder, remove_data=True, say=lambda _text: None)
    assert list(folder.iterdir()) == []
    folder.rmdir()


def state(array: control.Array) -> str:
    return control.status(array).state


def test_an_array_lives_is_cut_off_and_lives_again(directory: Path) -> None:
    said: list[str] = []
    array = control.up("raid5", directory, devices=3, device_bytes=SIZE, iops=5000, say=said.append)
    now = control.status(array)
    assert (now.state, len(now.loops), now.iops) == ("up", 3, 5000)
    assert now.disk_bytes < array.disk_bytes / 4, "sparse"
    assert "takes up to 768 MiB of disk" in said[0]
    filesystem = subprocess.run(
        ["findmnt", "--noheadings", "--output", "FSTYPE", str(array.mount_point)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert filesystem.stdout.strip() == "btrfs"
    data = array.mount_point / "data"
    data.write_bytes(b"kept" * 1000)
    with data.open(), pytest.raises(IgenError, match="umount failed"):
        control.stop(array)
    control.stop(array)
    assert (state(array), attached_below(array.folder)) == ("down", [])
    assert not array.mount_point.exists(), "nothing that looks like the array"
    again = control.up("raid5", directory, devices=3, device_bytes=SIZE, iops=0)
    assert (state(again), control.status(again).iops) == ("up", 0)
    assert data.read_bytes() == b"kept" * 1000
    # As after a `down` that was ended in its middle.
    subprocess.run(["umount", str(array.mount_point)], check=True)
    assert state(again) == "half"
    attributes = subprocess.run(["lsattr", "-d", str(array.mount_point)], capture_output=True, text=True)
    if "i" in attributes.stdout.partition(" ")[0]:
        with pytest.raises(PermissionError):
            data.touch()
    assert state(control.up("raid5", directory, devices=3, device_bytes=SIZE)) == "up"
    assert data.read_bytes() == b"kept" * 1000
    # As after an `up` that was ended before the file system was complete.
    control.stop(array)
    replace(array, made=False).write()
    assert state(control.selected(directory, "raid5")[0]) == "half"
    anew = control.up("raid5", directory, devices=4, device_bytes=SIZE)
    assert (state(anew), anew.devices, data.exists()) == ("up", 4, False)


def test_a_loop_device_that_somebody_left_read_only_is_written_to_again(directory: Path) -> None:
    file = directory / "other"
    with file.open("wb") as empty:
        empty.truncate(SIZE)
    find = ["losetup", "--find", "--show", str(file)]
    path = subprocess.run(find, capture_output=True, text=True, check=True).stdout.strip()
    subprocess.run(["blockdev", "--setro", path], check=True)
    subprocess.run(["losetup", "--detach", path], check=True)
    file.unlink()
    array = control.up("raid1", directory, devices=2, device_bytes=SIZE)
    loops = attached_below(array.folder)
    assert {Path(f"/sys/block/{each.name}/ro").read_text() for each in loops} == {"0\n"}


def test_a_device_that_somebody_reads_is_given_back_when_they_are_done(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = directory / "read"
    with file.open("wb") as empty:
        empty.truncate(1 << 20)
    loop.attach(file)
    (device,) = attached_below(directory)
    readers = [os.open(device.path, os.O_RDONLY)]

    def reader_ends(_seconds: float) -> None:
        for reader in readers:
            os.close(reader)
        readers.clear()

    monkeypatch.setattr(loop, "sleep", reader_ends)
    loop.detach(device)
    assert (readers, attached_below(directory)) == ([], [])
    file.unlink()


def device_ios(array: control.Array) -> tuple[int, int]:
    """Reads and writes that all its devices have done."""
    loops = attached_below(array.folder)
    counts = [Path(f"/sys/block/{each.name}/stat").read_text().split() for each in loops]
    return sum(int(count[0]) for count in counts), sum(int(count[4]) for count in counts)


@pytest.mark.parametrize(("kind", "least_reads", "most_reads"), [("raid10", 0, 0.1), ("raid5", 1, 5)])
def test_a_small_write_costs_what_its_kind_says(
    kind: str, least_reads: float, most_reads: float, directory: Path
) -> None:
    """Two writes; and with RAID-5 the reads that the new parity needs."""
    array = control.up(kind, directory, devices=4, device_bytes=SIZE, iops=0)
    data, blocks, times = array.mount_point / "data", 8192, 200
    data.write_bytes(random.randbytes(8192 * blocks))
    subprocess.run(["sync", "--file-system", str(data)], check=True)
    buffer = mmap.mmap(-1, 8192)  # aligned, as direct I/O wants it
    buffer.write(random.randbytes(8192))
    reads, writes = device_ios(array)
    file = os.open(data, os.O_WRONLY | os.O_DIRECT)
    try:
        for block in random.sample(range(blocks), times):
            os.pwrite(file, buffer, 8192 * block)
    finally:
        os.close(file)
    reads_after, writes_after = device_ios(array)
    assert (writes_after - writes) / times == pytest.approx(2, rel=0.1)
    assert least_reads <= (reads_after - reads) / times <= most_reads


def test_what_fails_in_its_middle_is_undone(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: object) -> None:
        raise IgenError("refused")

    monkeypatch.setattr(control, "_mount", refuse)
    with pytest.raises(IgenError, match="refused"):
        control.up("raid1", directory, devices=2, device_bytes=SIZE)
    assert list(directory.iterdir()) == []
    assert attached_below(directory / "raid1") == []


def test_what_another_command_has_just_made_is_kept(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends after the first look at what is there, and before the lock is taken."""
    alone = control.only_one

    @contextmanager
    def after_another(where: Path, doing: str) -> Iterator[None]:
        monkeypatch.setattr(control, "only_one", alone)
        made = control.up("raid1", where, devices=2, device_bytes=SIZE)
        (made.mount_point / "data").write_bytes(b"kept")
        with alone(where, doing):
            yield

    monkeypatch.setattr(control, "only_one", after_another)
    array = control.up("raid1", directory, devices=2, device_bytes=SIZE)
    assert state(array) == "up"
    assert (array.mount_point / "data").read_bytes() == b"kept"


def test_the_command_line(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--directory", str(directory)]
    assert run_arguments(["instances", "array", "up", "raid10", "--size", "256MiB", "--json", *where]) == 0
    (made,) = json.loads(capsys.readouterr().out)
    assert (made["name"], made["state"], made["devices"]) == ("raid10", "up", 4)
    assert run_arguments(["instances", "array", "list", *where]) == 0
    assert made["target"] in capsys.readouterr().out
    assert run_arguments(["instances", "array", "down", "raid5", *where]) == 2
    assert "there is no array `raid5`" in capsys.readouterr().err
    assert run_arguments(["instances", "array", "down", "--all", "--remove", *where]) == 0
    assert "raid10: removed" in capsys.readouterr().err
    assert not Path(made["folder"]).exists()
