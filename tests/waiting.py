"""Waiting in tests for what other processes do: within bounds, and for long enough on a busy machine."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from typing import TypeVar

PATIENCE_S = 120.0
_LOOK_EVERY_S = 0.01
_LONGEST_S = 0.5

Found = TypeVar("Found")


def wait_for(what: Callable[[], Found], process: subprocess.Popen[str] | None = None) -> Found:
    """What `what` returns once it is true; fails when the process ends first, or after a long time."""
    deadline_s = time.monotonic() + PATIENCE_S
    while True:
        begin_s = time.monotonic()
        if found := what():
            return found
        assert process is None or process.poll() is None, process.communicate()
        assert time.monotonic() < deadline_s, f"it has not happened in {PATIENCE_S:.0f} s"
        # What takes long to look at, such as all events so far, takes no processor from what it waits for.
        time.sleep(min(max(_LOOK_EVERY_S, 9 * (time.monotonic() - begin_s)), _LONGEST_S))
