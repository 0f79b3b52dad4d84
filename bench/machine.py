"""Where and with what a bench was measured."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

from bench.process import AGENT, ROOT


def description() -> dict[str, str]:
    """Machine, system and versions, to print above every result."""
    return {
        "processor": f"{processor()}, {len(os.sched_getaffinity(0))} cores usable",
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB",
        "kernel": f"{platform.system()} {platform.release()}",
        "distribution": platform.freedesktop_os_release().get("PRETTY_NAME", "unknown"),
        "iGen": f"{version([str(AGENT), '--version'])}, commit {commit()}",
        "load average before": "{:.2f} {:.2f} {:.2f}".format(*os.getloadavg()),
    }


def processor() -> str:
    """Model as the kernel names it."""
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def version(command: list[str]) -> str:
    """First line of what `command` prints."""
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return printed.splitlines()[0].strip()


def commit() -> str:
    """Short name of the present commit."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    return done.stdout.strip() or "unknown"
