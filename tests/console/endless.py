"""Work that never ends, for the process beside the console.

That process is nice to all others: beside a busy test run it gets a hundredth of a processor. This module
imports almost nothing, because there each second of imports takes minutes.
"""

from __future__ import annotations

import os
import re
import select
import signal

PATIENCE_S = 300.0
PIPE = "IGEN_TEST_PIPE"
"""Variable that names the pipe of `convert_for_ever`."""


def work_for_ever(pipe: str) -> None:
    """Says that it has begun, and goes on for longer than tests wait; the pipe ends with the process."""
    os.write(os.open(pipe, os.O_WRONLY), b"x")
    select.select([], [], [], 2 * PATIENCE_S)


def convert_for_ever(*_: object) -> None:
    """Work instead of a conversion."""
    work_for_ever(os.environ[PIPE])


def match_for_ever() -> None:
    """Lets no other thread of its process have its turn."""
    re.match("(a|a)*b", "a" * 200)


def tell_and_match_for_ever(pipe: str) -> None:
    """Says that it has begun, then lets nobody have a turn. Its limit, where it has one, is a second more."""
    os.write(os.open(pipe, os.O_WRONLY), b"x")
    if not signal.alarm(1):
        signal.alarm(0)
    match_for_ever()
