"""Loop devices over files, found again by the file that is behind them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

from igen.errors import IgenError
from igen.lab.command import run

MOST_WAIT_S = 5.0
"""How long a device may be read by somebody else after it was detached, before it is left to the kernel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """A loop device as the kernel describes it."""

    name: str
    """`loop0`."""
    number: str
    """Major and minor, `7:0`: by which caps know it."""
    file: Path
    direct_io: bool
    """Whether it passes by the page cache."""

    @property
    def path(self) -> str:
        """`/dev/loop0`."""
        return f"/dev/{self.name}"


def attach(file: Path) -> None:
    """A loop device over a file, without the page cache between them where that can be had."""
    path = run("losetup", "--find", "--show", "--nooverlap", str(file))
    run("blockdev", "--setrw", path)  # who had it before may have made it read-only, which stays
    try:
        run("losetup", "--direct-io=on", path)
    except IgenError:
        return  # tmpfs, for one; `Loop.direct_io` tells


def detach(loop: Loop) -> None:
    """The file is a file again, at the latest when the last program that reads the device has closed it.

    Programs that look at every new device (udev, a scan of btrfs) may have it open at this moment: the kernel
    then detaches it as soon as they are done, and this waits for them for up to `MOST_WAIT_S`.
    """
    run("losetup", "--detach", loop.path)
    until = monotonic() + MOST_WAIT_S
    while monotonic() < until and any(each.name == loop.name for each in attached_below(loop.file.parent)):
        sleep(0.01)


def attached_below(folder: Path, root: Path = Path("/")) -> list[Loop]:
    """The loop devices over files in a folder, removed ones too, by file. `root` is where /sys is."""
    loops = []
    for block in (root / "sys/block").glob("loop*"):
        try:
            file = Path((block / "loop/backing_file").read_text().rstrip("\n").removesuffix(" (deleted)"))
            loop = Loop(
                name=block.name,
                number=(block / "dev").read_text().strip(),
                file=file,
                direct_io=(block / "loop/dio").read_text().strip() == "1",
            )
        except OSError:
            continue  # not attached, or no longer
        if file.parent == folder:
            loops.append(loop)
    return sorted(loops, key=lambda loop: (len(loop.file.name), loop.file.name))
