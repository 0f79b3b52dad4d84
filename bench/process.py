"""Runs one process and says what it cost, from the kernel's own accounts."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
AGENT = ROOT / ".venv" / "bin" / "igen-agent"
IGEN = ROOT / ".venv" / "bin" / "igen"


@dataclass(frozen=True, slots=True)
class Execution:
    """A process that has ended."""

    output: str
    wall_s: float
    user_s: float
    system_s: float
    peak_memory_bytes: int
    """The most that was resident, of this program too when it forked."""

    @property
    def cpu_s(self) -> float:
        """User and system time of all its threads."""
        return self.user_s + self.system_s


def execute(command: list[str], stdin: str = "") -> Execution:
    """Runs `command` to its end. Raises RuntimeError with its error output when it fails.

    Output goes to files, not pipes: reading a pipe would take processor time beside the process measured.
    """
    with (
        tempfile.TemporaryFile("w+") as given,
        tempfile.TemporaryFile("w+") as out,
        tempfile.TemporaryFile("w+") as errors,
    ):
        given.write(stdin)
        given.seek(0)
        start_s = time.monotonic()
        process = subprocess.Popen(command, stdin=given, stdout=out, stderr=errors)
        _, status, used = os.wait4(process.pid, 0)
        wall_s = time.monotonic() - start_s
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        out.seek(0)
        output = out.read()
        if process.returncode != 0:
            text = (errors.read() + output)[-2000:]
            raise RuntimeError(f"{command[0]} ended with exit code {process.returncode}: {text}")
    return Execution(output, wall_s, used.ru_utime, used.ru_stime, 1024 * used.ru_maxrss)
