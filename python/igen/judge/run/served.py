"""What became of an open or paced load at one level, from the records of its runs."""

from __future__ import annotations

from collections.abc import Sequence

from igen.judge.result import Finding, Served
from igen.judge.run.measured import MeasuredRun
from igen.judge.trust.disturbance import Disturbance
from igen.judge.trust.rules.load import RATE_SHARE


def served_of(
    runs: Sequence[tuple[MeasuredRun, Disturbance]], load_failures: Sequence[Finding]
) -> Served | None:
    """Return what became of the load in all of these runs; each has the price of what disturbed it.

    None for a closed load and for several loads at once.
    """
    if not any(run.offered for run, _ in runs if not run.loads):
        return None
    if load_failures:
        sent = all(each.rule != "rate-not-sent" for each in load_failures)
        return "cannot tell" if sent else "driver failed"
    found = {_served(run, disturbance) for run, disturbance in runs}
    return found.pop() if len(found) == 1 else "cannot tell"


def _served(run: MeasuredRun, disturbance: Disturbance) -> Served:
    """Return what became of the load in one run; a disturbed machine may be why it was not served."""
    if run.offered is None:
        return "cannot tell"
    undisturbed = run.offered.served_share * (1 + disturbance.throughput.high_percent / 100)
    if run.offered.served == "held" or undisturbed < 1 - RATE_SHARE.value:
        return run.offered.served
    return "cannot tell"
