"""Who looks at loads of fixed priority does not wait for them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

ABOVE_LOADS = 10
"""Loads have 1, and who watches over them has 50."""


@contextmanager
def ahead() -> Iterator[None]:
    """This thread comes before loads of fixed priority where it may; what it starts does not.

    With the priority of others it has a twentieth of the processors beside a load that takes all of them, and
    for as long as it has not seen what it waits for, nobody else on the machine gets anything done.
    """
    with suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(ABOVE_LOADS))
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
