"""A console as a process of its own, as a user starts it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

LINK = re.compile(r"https?://\S+")


class ConsoleProcess:
    """`igen console` on a port of its own; `link` lets one browser in."""

    def __init__(self, store: Path, port: int, state: Path, *options: str) -> None:
        environment = os.environ | {"XDG_STATE_HOME": str(state), "PYTHONUNBUFFERED": "1"}
        igen = [sys.executable, "-m", "igen.cli"]
        self.process = subprocess.Popen(
            [*igen, "console", "--store", store, "--port", str(port), "--no-open", *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        assert self.process.stdout is not None
        found = LINK.search(self.process.stdout.readline())
        assert found is not None
        self.link = found[0]
        self.base = self.link.partition("/login")[0]

    def another_link(self) -> str:
        """The link that is printed when the one before was used."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("For another browser") and (found := LINK.search(line)):
                return found[0]
        raise AssertionError("the console has ended")

    def end(self) -> int:
        """Ends it as Ctrl-C does, and returns its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        code = self.process.wait(timeout=300)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code
