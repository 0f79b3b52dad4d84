"""What the host's meters said it drew while a level was measured."""

from __future__ import annotations

from igen.aspects.power.parts import Power
from igen.judge.aspect import LevelRuns
from igen.judge.run.resources import Host

MONITOR = "power"


def power_of(level: LevelRuns) -> Power | None:
    """Mean draw by meter, over the runs in which it could be read; None without a meter."""
    runs = level.used
    meters = dict.fromkeys(meter for run in runs for meter in run.host.subjects(MONITOR))
    found = {}
    for meter in meters:
        known = [draw for run in runs if (draw := draw_w(run.host, meter)) is not None]
        if known:
            found[meter] = sum(known) / len(known)
    return Power(mean_w=found) if found else None


def draw_w(host: Host, meter: str) -> float | None:
    """Power of a meter: the growth a second of energy, the mean of readings of power."""
    grown = host.per_s(MONITOR, "energy_j", meter)
    return grown if grown is not None else host.mean_gauge(MONITOR, "power_w", meter)
