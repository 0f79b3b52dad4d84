"""Caps on the I/Os of block devices: the blkio controller of version 1.

Reads and writes have a cap each, as the kernel counts them apart. Why neither version 2 nor dm-delay: ADR 30.
Where version 1 is not mounted there is no cap, which is said.
"""

from __future__ import annotations

from pathlib import Path

from igen.errors import IgenError
from igen.lab.loop import Loop

FILES = ("blkio.throttle.read_iops_device", "blkio.throttle.write_iops_device")


def controller(root: Path = Path("/")) -> Path | None:
    """Where the controller is mounted; None where it is not. `root` is where /proc and /sys are."""
    for line in (root / "proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        if kind == "cgroup" and "blkio" in options.split(","):
            return root / before.split()[4].lstrip("/")
    return None


def cap(loops: list[Loop], iops: int, root: Path = Path("/")) -> None:
    """So many reads and so many writes a second at most, for each of them.

    The cap holds for the root group, which the kernel's threads belong to, and for this process's own. Raises
    `IgenError` where there is no such controller, or it cannot be written.
    """
    mount = controller(root)
    if mount is None:
        raise IgenError("the blkio controller of version 1 is not mounted")
    try:
        for group in {mount, mount / _own_group(root)}:
            for loop in loops:
                for file in FILES:
                    (group / file).write_text(f"{loop.number} {iops}\n")
    except OSError as error:
        raise IgenError(f"{error.filename}: {(error.strerror or str(error)).lower()}") from error


def uncap(loops: list[Loop], root: Path = Path("/")) -> None:
    """Takes the caps away from all groups: the next one to use the device must not inherit them."""
    mount = controller(root)
    for file in FILES if mount else ():
        assert mount is not None
        for path in [mount / file, *mount.rglob(file)]:
            capped = {line.split()[0] for line in path.read_text().splitlines() if line}
            for loop in loops:
                if loop.number in capped:
                    path.write_text(f"{loop.number} 0\n")


def capped_iops(loop: Loop, root: Path = Path("/")) -> int:
    """Its cap in the root group: reads a second, and writes a second; 0 where it has none."""
    mount = controller(root)
    lines = (mount / FILES[0]).read_text().splitlines() if mount else []
    return next((int(line.split()[1]) for line in lines if line.split()[:1] == [loop.number]), 0)


def _own_group(root: Path) -> str:
    """The group of this process, from the controller's root."""
    for line in (root / "proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if "blkio" in controllers.split(","):
            return path.lstrip("/")
    return ""
