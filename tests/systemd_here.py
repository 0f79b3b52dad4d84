"""A systemd of a user's own, in a control group of its own, whatever has booted the machine."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from igen.cli.service_unit import SERVICES
from tests.waiting import wait_for

SYSTEMD = Path("/usr/lib/systemd/systemd")
CONTROL_GROUPS = Path("/sys/fs/cgroup")
BEGIN = """
mount --make-rprivate / && mount -t tmpfs none /run && mkdir -p /run/systemd/system || exit 1
for group; do echo $$ > "$group/cgroup.procs" || exit 1; done
exec /usr/lib/systemd/systemd --user
"""
"""It begins only where systemd has booted the machine, by what it says: for itself alone that is so."""


class Manager:
    """What `systemctl --user` talks to, and the environment in which it does."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "run").mkdir(mode=0o700)
        own = {"HOME": folder, "XDG_RUNTIME_DIR": folder / "run", "XDG_CONFIG_HOME": folder / "config"}
        self.environment = {"PATH": os.environ["PATH"], **{name: str(path) for name, path in own.items()}}

    def systemctl(self, *words: str) -> str:
        """What it prints; fails where it does."""
        return self.command("systemctl", "--user", *words)

    def igen(self, *words: str) -> str:
        """The same of iGen's command line."""
        return self.command(sys.executable, "-P", "-m", "igen.cli", *words)

    def command(self, *words: str) -> str:
        """The same of any command."""
        done = subprocess.run(
            words,
            env=self.environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout.strip()

    def install(self, service: str, *options: str) -> None:
        """Writes the unit of a service as a user does, for one who does not wait 15 s, and starts it."""
        self.igen(*SERVICES[service].arguments, *options, "--install-service")
        own = self.folder / "config" / "systemd" / "user" / f"igen-{service}.service.d"
        own.mkdir()
        (own / "soon.conf").write_text("[Service]\nRestartSec=100ms\n", encoding="utf-8")
        self.systemctl("daemon-reload")
        self.systemctl("enable", "--now", f"igen-{service}.service")

    def of(self, service: str, name: str) -> str:
        """A property of its unit."""
        return self.systemctl("show", "--property", name, "--value", f"igen-{service}.service")


@contextmanager
def manager() -> Iterator[Manager]:
    """Skips where there is no systemd, or control groups are another's."""
    if not SYSTEMD.exists() or os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("a systemd of its own needs systemd and root")
    roots = [CONTROL_GROUPS / name for name in ("unified", "systemd")]
    roots = [root for root in roots if root.is_dir()] or [CONTROL_GROUPS]
    groups = [root / f"igen-test-{os.getpid()}" for root in roots]
    # The name of a socket has at most 108 bytes.
    with TemporaryDirectory(prefix="igen-") as folder:
        try:
            for group in groups:
                group.mkdir()
        except OSError as error:
            pytest.skip(f"control groups cannot be made here: {error.strerror}")
        found = Manager(Path(folder))
        log = Path(folder) / "log"
        with log.open("wb") as said:
            begin = ["unshare", "--mount", "sh", "-c", BEGIN, "sh", *map(str, groups)]
            process = subprocess.Popen(begin, env=found.environment, stdout=said, stderr=said)
        try:
            socket = Path(folder) / "run" / "systemd" / "private"
            wait_for(lambda: socket.exists() or process.poll() is not None)
            if process.poll() is not None:
                pytest.skip(f"systemd does not begin here: {log.read_text(encoding='utf-8').strip()}")
            yield found
        finally:
            process.kill()
            process.wait()
            for group in groups:
                _remove(group)


def _remove(group: Path) -> None:
    """Ends all that is left in a control group, and removes it with those below."""
    below = [group, *sorted(path for path in group.rglob("*") if path.is_dir())]

    def is_gone() -> bool:
        for each in (path for path in reversed(below) if path.exists()):
            for pid in (each / "cgroup.procs").read_text(encoding="ascii").split():
                with suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
            try:
                each.rmdir()
            except OSError as error:
                # A process that ends is in its group still when it is in the list of that no longer.
                if error.errno != errno.EBUSY:
                    raise
                return False
        return True

    wait_for(is_gone)
