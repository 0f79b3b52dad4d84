"""What storage keeps of what was written: after `kill -9`, after a power cut, and with planted faults."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import LONG, Done, events, measured, wait_for

from tests.said import parts_in, rules_in

Igen = Callable[[str], Done]
Start = Callable[..., "subprocess.Popen[str]"]

BLOCK = 8192
RUN = "run io --set size_bytes=8MiB --set read=20 --verify --users 2 --repeats 1 --quiet"


@pytest.mark.parametrize("how", ["depth=8", pytest.param("direct=off", marks=pytest.mark.slow)])
def test_nothing_that_was_acknowledged_is_lost_when_the_writer_is_killed(
    how: str, igen: Igen, start: Start, store: Path, tmp_path: Path
) -> None:
    target = f"--target file://{tmp_path}/data"
    process = start(f"{RUN} {target} --set {how} {LONG}")
    wait_for(lambda: sum(each["transactions"]["count"] for each in measured(store)) > 3000, process)
    (hello,) = events(store, "hello")
    os.kill(hello["pid"], signal.SIGKILL)
    process.communicate()

    assert process.returncode == 1
    found = verified(igen(f"data verify io {target} --json"))
    assert found["right"] > 500
    assert found["right"] + found["unclaimed"] == found["blocks"] == 1024

    # The next run goes on with what this one has left, and nothing is lost over both.
    done = igen(f"{RUN} {target} --set {how} --duration 300ms --warmup 0s --json")
    assert not [rule for level in levels(done) for rule in rules_in(level) if rule == "agent-failed"]
    assert verified(igen(f"data verify io {target} --json"))["right"] >= found["right"]


def test_planted_faults_are_found_and_named(igen: Igen, store: Path, tmp_path: Path) -> None:
    path = tmp_path / "data"
    writing = RUN.replace("read=20", "read=0")
    command = f"{writing} --target file://{path} --duration 300ms --warmup 0s --json"
    igen(command)
    before = path.read_bytes()
    igen(command)
    after = path.read_bytes()
    changed = [at for at in range(0, len(after), BLOCK) if before[at : at + BLOCK] != after[at : at + BLOCK]]
    lost, torn, one, other, flipped = changed[:5]
    with path.open("r+b") as file:
        for at, content in (
            (lost, before[lost : lost + BLOCK]),
            (torn, before[torn : torn + BLOCK // 2]),
            (one, after[other : other + BLOCK]),
            (other, after[one : one + BLOCK]),
            (flipped + 6000, bytes([after[flipped + 6000] ^ 8])),
        ):
            file.seek(at)
            file.write(content)

    done = igen(f"data verify io --target file://{path} --json")

    assert done.code == 1
    (found,) = json.loads(done.out)["facts"]["io.verified"]
    places = {
        kind: [place["offset_bytes"] for place in fault["first"]] for kind, fault in found["faults"].items()
    }
    assert places == {"lost": [lost], "torn": [torn], "misplaced": [one, other], "corrupt": [flipped]}
    assert "data errors: 1 lost" in done.err
    assert f"byte {one}: the block of byte {other} is there" in done.err
    # A run that verifies says so too, and its level does not count.
    (level,) = levels(igen(command.replace("read=0", "read=100")))
    assert level["trust"]["verdict"] == "INVALID"
    assert any("data errors" in part.get("text", "") for part in parts_in(level, "agent-failed"))


def test_what_nobody_has_verified_cannot_be(igen: Igen, store: Path, tmp_path: Path) -> None:
    target = f"--target file://{tmp_path}/data --set size_bytes=1MiB"
    assert igen(f"data prepare io {target} --quiet").code == 0
    done = igen(f"data verify io {target}")
    assert done.code == 1
    assert "--set verify=true" in done.err


def verified(done: Done) -> dict[str, Any]:
    """What was found in the one target, of which all is right."""
    assert done.code == 0, done.err
    document = json.loads(done.out)
    assert document["ok"]
    (found,) = document["facts"]["io.verified"]
    assert found["faults"] == {}
    return dict(found)


def levels(done: Done) -> list[dict[str, Any]]:
    """Those of the only system."""
    (system,) = done.document["systems"]
    return list(system["levels"])


class Disk:
    """An ext4 file system in a file of which a copy can be made at one moment, as a power cut would."""

    def __init__(self, folder: Path) -> None:
        self.mounted = folder / "mounted"
        self._outer = folder / "outer"
        self._image = self._outer / "disk"
        self._device = ""
        for path, length in ((self._outer, 0), (self.mounted, 0), (folder / "btrfs", 400 << 20)):
            if length:
                with path.open("wb") as file:
                    file.truncate(length)
            else:
                path.mkdir()
        call("mkfs.btrfs", "-q", folder / "btrfs")
        call("mount", "-o", "loop", folder / "btrfs", self._outer)
        with self._image.open("wb") as file:
            file.truncate(64 << 20)
        call("mkfs.ext4", "-q", "-F", self._image)
        self._mount(self._image)

    def _mount(self, image: Path) -> None:
        loop = ("losetup", "--find", "--show", "--direct-io=on", image)
        self._device = call(*loop).strip()
        call("mount", self._device, self.mounted)

    def _unmount(self) -> None:
        call("umount", self.mounted)
        call("losetup", "--detach", self._device)
        self._device = ""

    def cut(self) -> Callable[[], None]:
        """Keeps what the disk holds now; the result puts it in the disk's place."""
        kept = self._outer / "kept"
        call("cp", "--reflink=always", self._image, kept)

        def restore() -> None:
            self._unmount()
            self._mount(kept)

        return restore

    def close(self) -> None:
        """Leaves no mount and no device."""
        if self._device:
            self._unmount()
        call("umount", self._outer)


def call(*command: object) -> str:
    """What a program prints."""
    done = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True)
    return done.stdout


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    """A disk whose power can be cut."""
    if os.geteuid() != 0:
        pytest.skip("mounting a file system needs root")
    if not (shutil.which("mkfs.btrfs") and shutil.which("mkfs.ext4")):
        pytest.skip("mkfs.btrfs or mkfs.ext4 is not installed")
    try:
        disk = Disk(tmp_path)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"no loop device with btrfs here: {error.stderr}")
    yield disk
    disk.close()


def test_a_power_cut_loses_only_what_was_not_flushed(
    disk: Disk, igen: Igen, start: Start, store: Path, tmp_path: Path
) -> None:
    target = f"--target file://{disk.mounted}/data"
    # Through the page cache: what is not flushed is not on the disk.
    how = f"{RUN} {target} --set direct=off --set fsync_every=500 --set ledger={tmp_path}/ledgers {LONG}"
    process = start(how)
    wait_for(lambda: len(measured(store)) > 1, process)
    # First the ledger, then the disk: what was flushed by then is there.
    shutil.copytree(tmp_path / "ledgers", tmp_path / "of-the-cut")
    restore = disk.cut()
    process.send_signal(signal.SIGINT)
    process.communicate()
    restore()

    verify = f"data verify io {target} --set ledger={tmp_path}/of-the-cut --json"
    found = verified(igen(f"{verify} --set after=power_cut"))
    assert found["expectation"] == "durable"
    assert found["right"] > 0
    # Those that were not flushed would be lost if nothing had happened. Where there are none, writes after
    # the copy of the ledger may still contradict it.
    strict = igen(verify)
    assert strict.code == 1 or not found["unflushed"]
