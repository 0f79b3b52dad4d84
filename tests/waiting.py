"""Waiting in tests for what other processes do: within bounds, and for long enough on a busy machine."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from typing import TypeVar

PATIENCE_S = 120.0
_LOOK_EVERY_S = 0.01

Found = TypeVar("Found")


def wait_for(what: Callable[[], Found], process: subprocess.Popen[str] | None = None) -> Found:
    """What `what` returns once it is true; fails when the process ends first, or after a long time."""
    deadline_s = time.monotonic() + PATIENCE_S
    while not (found := what()):
        assert process is None or process.poll() is None, process.communicate()
        assert time.monotonic() < deadline_s, f"it has not happened in {PATIENCE_S:.0f} s"
        time.sleep(_LOOK_EVERY_S)
    return found
