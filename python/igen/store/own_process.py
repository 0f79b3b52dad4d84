"""Identity of a process beyond its number, which the kernel may reuse."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec


class OwnProcess(msgspec.Struct, frozen=True):
    """A process of one start of one machine."""

    pid: int
    started_ticks: int
    """Clock ticks from the start of the machine to the start of the process."""
    boot: str
    """Id of that start of the machine."""
    pid_namespace: str
    """Namespace of the number: containers of a machine have their own."""

    def opened(self) -> int | None:
        """A descriptor of the process, to signal it and no other; None where it has ended or is elsewhere.

        Linux only. Raises `PermissionError` where it may not be looked at.
        """
        if (self.boot, self.pid_namespace) != (boot(), _pid_namespace()):
            return None
        try:
            descriptor = os.pidfd_open(self.pid)
        except (ProcessLookupError, ValueError, OverflowError):
            return None
        except OSError as error:
            if isinstance(error, PermissionError):
                raise
            return None
        # Looked at after it was opened: what has this start now is what the descriptor means.
        if _started_ticks(self.pid) == self.started_ticks:
            return descriptor
        os.close(descriptor)
        return None


def this_process() -> OwnProcess:
    """Return this process. Raises `OSError` without /proc."""
    pid = os.getpid()
    return OwnProcess(pid, _started_ticks(pid) or 0, boot(), _pid_namespace())


def _started_ticks(pid: int) -> int | None:
    """Return field 22 of proc_pid_stat(5); the name before it may hold anything. None if it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    return int(fields.rpartition(")")[2].split()[19])


def boot() -> str:
    """Return the boot id, which all containers of a machine share. Raises `OSError` without /proc."""
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def _pid_namespace() -> str:
    return os.readlink("/proc/self/ns/pid")
