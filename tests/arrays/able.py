"""Whether arrays can be made here."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def why_not() -> str:
    """Empty where they can."""
    if os.geteuid() != 0:
        return "arrays need root"
    if not shutil.which("mkfs.btrfs", path="/usr/sbin:/sbin:/usr/bin"):
        return "btrfs-progs is not installed"
    if not Path("/dev/loop-control").exists():
        return "no loop devices"
    if "btrfs" not in Path("/proc/filesystems").read_text():
        return "the kernel has no btrfs"
    return ""
