"""Storage that is wrong, in use, full or breaks: a clear error before anything is written, or an INVALID
level with what was measured."""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import PATIENCE_S, Done, measured, reasons_of, wait_for
from loops import Loops, checksum, run
from test_disk import obey_permissions

from tests.said import rules_in

Igen = Callable[[str], Done]
Start = Callable[..., subprocess.Popen[str]]
SHORT = "--users 1 --repeats 1 --duration 300ms --warmup 0s --quiet"
MIB = 1 << 20
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO, EPERM = 0x7FFF0000, 0x00050000, 1
IO_URING_SETUP = 425
"""The same number on every architecture."""


def forbid_io_uring() -> None:
    """Before a program starts: `io_uring_setup` fails with EPERM, as in most containers."""
    instructions = (
        (0x20, 0, 0, 0),  # load the number of the system call
        (0x15, 0, 1, IO_URING_SETUP),  # if it is this one
        (0x06, 0, 0, SECCOMP_RET_ERRNO | EPERM),
        (0x06, 0, 0, SECCOMP_RET_ALLOW),
    )
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in instructions))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(instructions), ctypes.addressof(code)))
    system = ctypes.CDLL(None)
    assert system.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    assert system.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program)) == 0


def level(igen: Igen) -> dict[str, Any]:
    """The only level of the last run."""
    (found,) = igen("show last --json").document["systems"][0]["levels"]
    return dict(found)


def finished(process: subprocess.Popen[str]) -> Done:
    """Waits for a process; fails where it hangs."""
    out, err = process.communicate(timeout=PATIENCE_S)
    return Done(process.returncode, out, err)


def assert_refused(done: Done, code: int, *said: str) -> None:
    """An error with these words, and a hint."""
    assert done.code == code, done.err
    for words in said:
        assert words in done.err
    assert "\nhint: " in done.err
    assert "Traceback" not in done.err


# Data that is not ours


def test_a_device_is_shown_before_anything_is_done_to_it(igen: Igen, loops: Loops) -> None:
    device = loops.device("image", 16 * MIB)
    run("mkfs.ext4", "-q", "-L", "data", str(device))
    before = checksum(device)
    holds = f'{device} (the file {loops.folder}/image, 16.8 MB) holds: ext4 file system "data"'
    for settings, hint in (
        ("--set read=0", "--i-own-this-data"),
        ("--set read=100", "--i-own-this-data"),
        ("--set read=0 --i-own-this-data", "--force"),
        ("--set precondition=true --i-own-this-data", "--force"),
    ):
        done = igen(f"run io --target file://{device} {settings} {SHORT}")
        assert_refused(done, 2, holds, hint)
    assert_refused(igen(f"data prepare io --target file://{device} --set precondition=true"), 2, holds)
    assert igen(f"run io --target file://{device} --set read=100 --i-own-this-data {SHORT}").code == 0
    assert checksum(device) == before
    assert igen(f"run io --target file://{device} --set read=0 --i-own-this-data --force {SHORT}").code == 0
    assert checksum(device) != before


def test_data_of_an_unknown_kind_is_not_overwritten_unasked(igen: Igen, loops: Loops) -> None:
    device = loops.device("image", 16 * MIB)
    line = f"run io --target file://{device} --set read=0 --i-own-this-data {SHORT}"
    # What iGen has written, of whatever length and in whatever order, is known and not refused.
    for block in ("64KiB", "512", "4KiB"):
        assert igen(f"{line} --set block={block}").code != 2
    with device.open("r+b") as file:
        file.write(b"a backup")
    before = checksum(device)
    assert_refused(igen(line), 2, f"{device} (", "holds: data of an unknown kind", "--force")
    assert checksum(device) == before
    assert igen(f"{line} --force").code != 2


def test_a_device_in_use_is_never_written(igen: Igen, loops: Loops) -> None:
    device = loops.device("image", 16 * MIB, "--partscan")
    partition = loops.partition(device)
    run("mkfs.ext4", "-q", str(partition))
    before = checksum(device)
    insist = f"--set read=0 --i-own-this-data {SHORT}"
    table = f"MBR partition table; partition {partition} (8.39 MB): ext4 file system"
    assert_refused(igen(f"run io --target file://{device} {insist}"), 2, table)
    assert checksum(device) == before
    folder = loops.mounted(partition, "-o", "ro")
    for path in (device, partition):
        done = igen(f"run io --target file://{path} --force {insist}")
        assert_refused(done, 2, f"ext4 file system, mounted at {folder}", "unmount")
    assert checksum(device) == before


def test_a_mistyped_device_is_not_made_a_file(igen: Igen) -> None:
    done = igen(f"run io --target file:///dev/none --set read=0 --i-own-this-data {SHORT}")
    assert_refused(done, 2, "/dev/none: there is no such device")
    assert not Path("/dev/none").exists()


def test_a_file_of_others_stays_as_it_is(igen: Igen, tmp_path: Path) -> None:
    path = tmp_path / "thesis"
    path.write_bytes(b"chapter 1" * 10_000)
    before = checksum(path)
    for line in (f"run io --set read=70 {SHORT}", "data prepare io --set precondition=true"):
        assert_refused(igen(f"{line} --target file://{path}"), 2, "iGen did not create this file")
    assert igen(f"run io --target file://{path} --set read=100 {SHORT}").code == 0
    assert igen(f"data cleanup io --target file://{path}").code == 0
    assert checksum(path) == before


def test_what_was_put_into_a_file_of_igens_goes_if_somebody_insists(igen: Igen, tmp_path: Path) -> None:
    path = tmp_path / "data"
    assert igen(f"data prepare io --target file://{path} --set size_bytes=1MiB").code == 0
    with path.open("ab") as file:
        file.write(b"letter" * 1000)
    before = checksum(path)
    lines = [
        f"{line} --target file://{path}"
        for line in (
            f"run io --set read=0 {SHORT}",
            "data prepare io --set precondition=true",
            "data cleanup io",
        )
    ]
    for line in lines:
        assert_refused(igen(line), 1, "from byte 1048576 to 1054575", "--i-own-this-data")
    assert checksum(path) == before
    for line in lines[1:]:
        done = igen(f"{line} --i-own-this-data")
        assert done.code == 0, done.err
    assert not path.exists()


# What the storage cannot do


def test_without_direct_io_it_is_buffered_or_refused_as_asked(igen: Igen, loops: Loops) -> None:
    # ramfs has none; tmpfs has since Linux 6.6.
    target = f"--target file://{loops.mounted('ramfs', '-t', 'ramfs')}/f --set size_bytes=1MiB"
    assert igen(f"run io {target} {SHORT}").code == 0
    document = igen("show last --json").document["systems"][0]
    assert (document["facts"]["io.direct"], document["facts"]["io.direct_refused"]) == (False, True)
    assert "page-cache" in rules_in(document["levels"][0])
    done = igen(f"run io {target} --set direct=require {SHORT}")
    assert_refused(done, 1, "its file system has no direct I/O (O_DIRECT)", "direct=prefer")


@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "aarch64"), reason="its filters are written for these"
)
def test_without_io_uring_one_io_at_a_time_still_works(
    igen: Igen, start: Start, store: Path, tmp_path: Path
) -> None:
    target = f"--target file://{tmp_path}/f --set size_bytes=1MiB"
    assert finished(start(f"run io {target} {SHORT}", forbid_io_uring)).code == 0
    engine = igen("show last --json").document["systems"][0]["facts"]["io.engine"]
    assert engine.startswith("psync")
    for settings, hint in (("depth=8", "depth=1"), ("engine=io_uring", "engine=psync")):
        done = finished(start(f"run io {target} --set {settings} {SHORT}", forbid_io_uring))
        assert_refused(done, 1, "io_uring cannot be used: operation not permitted (EPERM)", hint)


def test_blocks_must_suit_the_device(igen: Igen, loops: Loops) -> None:
    device = loops.device("image", 4 * MIB, "--sector-size", "4096")
    target = f"--target file://{device} --i-own-this-data"
    done = igen(f"run io {target} --set block=512 --set direct=require {SHORT}")
    assert_refused(done, 1, f"direct I/O on {device} needs multiples of 4096 bytes")
    assert_refused(igen(f"run io {target} --set block=1000 {SHORT}"), 2, "1000 bytes are no block", "512")


def test_no_more_is_used_than_there_is(igen: Igen, loops: Loops) -> None:
    device = loops.device("image", 4 * MIB)
    done = igen(f"run io --target file://{device} --i-own-this-data --set size_bytes=8MiB {SHORT}")
    assert_refused(done, 1, f"{device} has 4194304 bytes, less than 8388608", "smaller size")


def test_what_may_not_be_written_is_said_before_the_load(
    igen: Igen, start: Start, loops: Loops, store: Path
) -> None:
    path = loops.folder / "f"
    target = f"--target file://{path}"
    assert igen(f"data prepare io {target} --set size_bytes=1MiB").code == 0
    path.chmod(0o444)
    before = checksum(path)
    done = finished(start(f"run io {target} --set read=0 {SHORT}", obey_permissions))
    assert done.code == 1
    assert "f: permission denied (EACCES)" in done.err
    assert checksum(path) == before
    read_only = loops.device("image", MIB, "--read-only")
    done = igen(f"run io --target file://{read_only} --i-own-this-data --set read=0 {SHORT}")
    assert_refused(done, 2, f"{read_only}: the device is read-only", "--setrw")


# What breaks while it is measured


def test_a_file_for_which_there_is_no_room_says_how_much_it_needs(igen: Igen, loops: Loops) -> None:
    folder = loops.mounted("tmpfs", "-t", "tmpfs", "-o", "size=4m")
    done = igen(f"run io --target file://{folder}/f --set size_bytes=8MiB {SHORT}")
    assert_refused(done, 1, "8388608 bytes")
    assert not list(folder.iterdir())
    # Somebody who insists may fill the disk, and has it back.
    done = igen(f"run io --target file://{folder}/f --set size_bytes=8MiB --force {SHORT}")
    assert_refused(done, 1, "no space left on device (ENOSPC)", "8388608 bytes")
    assert not list(folder.iterdir())


def test_a_disk_that_fills_up_makes_the_level_invalid(igen: Igen, loops: Loops) -> None:
    folder = loops.mounted("tmpfs", "-t", "tmpfs", "-o", "size=4m")
    path = folder / "f"
    assert igen(f"data prepare io --target file://{path} --set size_bytes=1MiB").code == 0
    # The rest is a hole: each block takes its room when it is first written. It is not iGen's.
    os.truncate(path, 16 * MIB)
    done = igen(f"run io --target file://{path} --set read=0 {SHORT}")
    assert_refused(done, 1, "from byte 1048576 to 16777215")
    assert igen(f"run io --target file://{path} --set read=0 --i-own-this-data {SHORT}").code == 1
    found = level(igen)
    assert found["trust"]["verdict"] == "INVALID"
    assert reasons_of(found) == {"write: no space left on device (ENOSPC)"}
    assert found["transactions"] > 0


@pytest.mark.parametrize(("depth", "vanishes"), [pytest.param(1, False, marks=pytest.mark.slow), (8, True)])
def test_a_device_that_fails_in_the_middle(
    igen: Igen, start: Start, store: Path, loops: Loops, depth: int, vanishes: bool
) -> None:
    device, image = loops.device("image", 16 * MIB), loops.folder / "image"
    line = f"run io --target file://{device} --i-own-this-data --set depth={depth} --users 1 --repeats 1"
    process = start(f"{line} --duration 1500ms --warmup 0s --quiet")
    wait_for(lambda: measured(store), process)
    with image.open("r+b") as file:
        if vanishes:
            # The kernel lets it go as soon as nobody has it open any more.
            run("losetup", "--detach", str(device))
            image.unlink()
        file.truncate(0)
    done = finished(process)
    assert done.code == 1, done.err
    found = level(igen)
    assert found["trust"]["verdict"] == "INVALID"
    assert "read: input/output error (EIO)" in reasons_of(found)
    # What it did before is cut off like a warm-up, and still there to be seen.
    assert any(each["throughput_per_s"] > 0 for each in found["repeats"][0]["timeline"])
    if vanishes:
        wait_for(lambda: not Path(f"/sys/block/{device.name}/loop").exists())
