"""Whether the runs of an open or paced load did what was offered."""

from __future__ import annotations

from collections.abc import Sequence

from igen.judge.disturbance import Disturbance
from igen.judge.limits import RATE_SHARE
from igen.judge.load_checks import served_share
from igen.judge.measured import MeasuredRun


def rate_held(runs: Sequence[tuple[MeasuredRun, Disturbance]], *, load_failed: bool) -> bool | None:
    """Whether every run held its rate, or none did; each stands beside the price of what disturbed it.

    None where that cannot be told: runs differ, the load itself failed, or what disturbed the machine may
    be why the rate was not held. None of a closed load, too, and of several loads at once.
    """
    found = {_held(run, disturbance) for run, disturbance in runs}
    return found.pop() if len(found) == 1 and not load_failed else None


def _held(run: MeasuredRun, disturbance: Disturbance) -> bool | None:
    served = None if run.personas else served_share(run)
    if served is None:
        return None
    if served == 1:
        return True
    undisturbed = served * (1 + disturbance.throughput.high_percent / 100)
    return False if undisturbed < 1 - RATE_SHARE else None
