"""Loop devices and caps as the kernel's files tell of them, on made-up ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from igen.errors import IgenError
from igen.lab import throttle
from igen.lab.loop import Loop, attached_below

LOOP = Loop(name="loop3", number="7:3", file=Path("/a/device-1"), direct_io=True)
FILES = throttle.FILES


def block(root: Path, name: str, number: str, file: str, *, direct_io: bool = True) -> None:
    folder = root / "sys/block" / name
    (folder / "loop").mkdir(parents=True)
    (folder / "dev").write_text(f"{number}\n")
    (folder / "loop/backing_file").write_text(f"{file}\n")
    (folder / "loop/dio").write_text(f"{int(direct_io)}\n")


def test_loops_are_found_by_their_file(tmp_path: Path) -> None:
    block(tmp_path, "loop0", "7:0", "/a/device-10")
    block(tmp_path, "loop1", "7:1", "/a/device-2 (deleted)", direct_io=False)
    block(tmp_path, "loop2", "7:2", "/elsewhere/device-1")
    (tmp_path / "sys/block/loop4").mkdir()
    found = attached_below(Path("/a"), tmp_path)
    assert [(loop.path, str(loop.file), loop.direct_io) for loop in found] == [
        ("/dev/loop1", "/a/device-2", False),
        ("/dev/loop0", "/a/device-10", True),
    ]


def groups(root: Path, *, version_1: bool = True, own: str = "/mine") -> Path:
    """Control groups of a machine, with a cap on somebody else's device."""
    mount = root / "groups/blkio"
    for group in (mount, mount / "mine", mount / "other"):
        group.mkdir(parents=True)
        for file in FILES:
            (group / file).write_text("8:0 77\n")
    (root / "proc/self").mkdir(parents=True)
    mounts = ["22 21 0:20 / /sys rw - sysfs sysfs rw", "30 21 0:25 / /groups/unified rw - cgroup2 cgroup2 rw"]
    if version_1:
        mounts.append("31 21 0:26 / /groups/blkio rw,nosuid - cgroup none rw,blkio")
    (root / "proc/self/mountinfo").write_text("\n".join(mounts) + "\n")
    (root / "proc/self/cgroup").write_text(f"7:blkio:{own}\n0::/\n")
    return mount


def test_the_cap_is_written_for_the_root_and_for_our_own_group(tmp_path: Path) -> None:
    mount = groups(tmp_path)
    throttle.cap([LOOP], 500, tmp_path)
    for file in FILES:
        assert [(mount / group / file).read_text() for group in ("", "mine", "other")] == [
            "7:3 500\n",
            "7:3 500\n",
            "8:0 77\n",
        ]
    assert throttle.capped_iops(LOOP, tmp_path) == 500
    throttle.uncap([LOOP], tmp_path)
    assert [(mount / group / FILES[0]).read_text() for group in ("", "mine", "other")] == [
        "7:3 0\n",
        "7:3 0\n",
        "8:0 77\n",
    ]
    assert throttle.capped_iops(LOOP, tmp_path) == 0


def test_without_version_1_there_is_no_cap(tmp_path: Path) -> None:
    groups(tmp_path, version_1=False)
    with pytest.raises(IgenError, match="not mounted"):
        throttle.cap([LOOP], 500, tmp_path)
    assert throttle.capped_iops(LOOP, tmp_path) == 0
    throttle.uncap([LOOP], tmp_path)


def test_groups_that_cannot_be_written_are_an_error_in_words(tmp_path: Path) -> None:
    groups(tmp_path, own="/gone")
    with pytest.raises(IgenError, match="no such file"):
        throttle.cap([LOOP], 500, tmp_path)
