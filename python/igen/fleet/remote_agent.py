"""An agent's process, as a service on a load machine: started, heard and ended from elsewhere.

Only the standard library is used here: load machines need no iGen.
"""

from __future__ import annotations

import hashlib
import os
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from igen.environment import environment_of

LONGEST_POLL_S = 0.5
_STDERR_BYTES = 4096
_BOOT = Path("/proc/sys/kernel/random/boot_id")


class RemoteAgent:
    """Runs one agent at a time; its lines are kept until the coordinator has read them."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._changed = threading.Condition()
        self._lines: list[bytes] = []
        self._heard = 0
        """Number of the first line that is kept."""
        self._stderr = b""
        self._ended = True
        self._started = 0
        """Number of agents that were started."""

    def where(self) -> tuple[str, str]:
        """Return name and identity of the machine."""
        host = socket.gethostname()
        return host, _BOOT.read_text().strip() if _BOOT.exists() else host

    def clock_unix_s(self) -> float:
        """Return the Unix time of this machine."""
        return time.time()

    def lacks(self, digest: str) -> bool:
        """Return True if the program with this SHA-256 digest is missing."""
        return not _program(digest).exists()

    def install(self, digest: str, content: bytes) -> None:
        """Store the program. Raises `ValueError` if its digest is wrong."""
        if hashlib.sha256(content).hexdigest() != digest:
            raise ValueError("the program was damaged in transit")
        path = _program(digest)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent)
        with open(descriptor, "wb") as file:
            file.write(content)
        Path(name).chmod(0o700)
        Path(name).replace(path)

    def open(self, digest: str, needs: tuple[str, ...]) -> tuple[int, int]:
        """Starts an agent that waits for its job, with these variables of the machine's; its number and
        process id."""
        self.kill()
        process = subprocess.Popen(
            [_program(digest), "run"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment_of(needs),
            start_new_session=True,
        )
        with self._changed:
            self._lines, self._heard, self._stderr, self._ended = [], 0, b"", False
            self._process = process
            self._started += 1
            self._changed.notify_all()
        threading.Thread(target=self._read, args=(process,), daemon=True).start()
        threading.Thread(target=self._read_stderr, args=(process,), daemon=True).start()
        return self._started, process.pid

    def say(self, line: bytes) -> None:
        """Write to the agent, unless it has ended."""
        process = self._process
        if process is None or process.stdin is None:
            return
        try:
            process.stdin.write(line)
            process.stdin.flush()
        except OSError:
            return  # its end is about to be seen

    def poll(self, started: int, after: int) -> tuple[int, list[bytes], tuple[int, str] | None]:
        """The lines of an agent from number `after` on, and the first one's number; exit code and last words
        where it has ended and all is heard. Waits for a line for half a second at most."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._started != started or self._has(after) or self._ended, LONGEST_POLL_S
            )
            if self._started != started:
                return after, [], None  # nobody waits for this answer any more
            self._lines = self._lines[max(after - self._heard, 0) :]
            self._heard = max(after, self._heard)
            exit = self._exit() if self._ended and not self._lines else None
            return self._heard, list(self._lines), exit

    def _has(self, after: int) -> bool:
        return self._heard + len(self._lines) > after

    def _exit(self) -> tuple[int, str]:
        assert self._process is not None
        return self._process.wait(), self._stderr.decode(errors="replace")

    def kill(self) -> None:
        """End the agent at once."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            with self._changed:
                if process is self._process:
                    self._lines.append(line.removesuffix(b"\n"))
                    self._changed.notify_all()
        process.wait()
        with self._changed:
            if process is self._process:
                self._ended = True
                self._changed.notify_all()

    def _read_stderr(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stderr is not None
        while piece := os.read(process.stderr.fileno(), _STDERR_BYTES):
            if process is self._process:
                self._stderr = (self._stderr + piece)[-_STDERR_BYTES:]


def _program(digest: str) -> Path:
    """Return the path of a stored program, in a private folder of this account."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "igen" / "agents" / digest / "igen-agent"
