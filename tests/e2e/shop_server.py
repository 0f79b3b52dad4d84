"""The built-in shop, a process for each tier, and what it has counted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from command_line import PATIENCE_S

from igen.agent_program import find_agent
from tests.own_ports import own_ports


class Shop:
    """A shop in that folder."""

    def __init__(self, folder: Path) -> None:
        self.port = own_ports()
        self._pids = folder / "pids"
        command = [
            str(find_agent()),
            "serve",
            "shop",
            f"--listen=127.0.0.1:{self.port}",
            f"--directory={folder}",
            f"--pids={self._pids}",
            "--work=0ms",
        ]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        assert self._process.stdout.readline()

    @property
    def target(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    def pid(self, tier: str) -> int:
        """The only process of a tier, as it is now."""
        (pid,) = json.loads(self._pids.read_text())[tier]
        return int(pid)

    def send(self, tier: str, number: signal.Signals) -> int:
        """Sends the process of a tier a signal; which one that is."""
        pid = self.pid(tier)
        os.kill(pid, number)
        return pid

    def answered(self, tier: str = "") -> Counter[str]:
        """What a tier has answered, by path, without questions about itself."""
        found: Counter[str] = Counter()
        for row in self._rows(tier):
            found[row["path"]] += row["count"]
        return found

    def statuses(self) -> Counter[int]:
        """How often the web tier has answered with which status; 0 for those whose client left before."""
        found: Counter[int] = Counter()
        for row in self._rows(""):
            found[row["status"]] += row["count"]
        return found

    def stop(self) -> None:
        """Ends it."""
        self._process.send_signal(signal.SIGTERM)
        self._process.communicate(timeout=PATIENCE_S)

    def _rows(self, tier: str) -> list[dict[str, Any]]:
        with urlopen(f"{self.target}/-/counts{tier}", timeout=PATIENCE_S) as answer:
            told = json.load(answer)
        rows = [row for node in (told if isinstance(told, list) else [told]) for row in node["requests"]]
        return [row for row in rows if not row["path"].startswith("/-/")]
