"""What the host's meters said it drew while a level was measured."""

from __future__ import annotations

from collections.abc import Sequence

from igen.analysis.measured import MeasuredRun
from igen.analysis.resources import Host

MONITOR = "power"


def power_of(runs: Sequence[MeasuredRun]) -> dict[str, float]:
    """Mean draw in watts by meter, over the runs in which it could be read."""
    meters = dict.fromkeys(meter for run in runs for meter in run.host.subjects(MONITOR))
    found = {}
    for meter in meters:
        known = [draw for run in runs if (draw := _draw_w(run.host, meter)) is not None]
        if known:
            found[meter] = sum(known) / len(known)
    return found


def _draw_w(host: Host, meter: str) -> float | None:
    """Of a meter of energy its growth a second, of a meter of power the mean of its readings."""
    grown = host.per_s(MONITOR, "energy_j", meter)
    return grown if grown is not None else host.mean_gauge(MONITOR, "power_w", meter)
