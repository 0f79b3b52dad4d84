"""Whether arrays can be made here."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

SPACE_BYTES = 9 * 2**30
"""What the arrays of the guide may grow to, and some."""


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
    if shutil.disk_usage("/var/tmp").free < SPACE_BYTES:
        return "/var/tmp has too little space"
    if subprocess.run(["losetup", "--find"], capture_output=True, check=False).returncode:
        return "loop devices cannot be had"
    return ""
