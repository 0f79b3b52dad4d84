"""What machines draw: by their own curve, or on a line between idle and full load."""

from __future__ import annotations

import numpy as np

from igen.datacenter.number import Draw, Draws, Number, combined
from igen.datacenter.plan import PlannedSystem

HOURS_A_YEAR = 8760.0


def watts_at(system: PlannedSystem, utilisation: Number, draw: Draw) -> Number | None:
    """Watts of one machine at a share of its peak throughput, 0 to 1; None where the file does not tell."""
    if system.watts_curve:
        points = [draw(point) for point in system.watts_curve]

        def along(used: Draws, *watts: Draws) -> Draws:
            place = np.clip(used, 0.0, 1.0) * (len(watts) - 1)
            share = [np.clip(1 - np.abs(place - number), 0.0, 1.0) for number in range(len(watts))]
            return np.asarray(sum(part * each for part, each in zip(share, watts, strict=True)))

        return combined(along, utilisation, *points)
    if system.watts_max is None or "watts_idle" in system.unknown:
        return None
    full = draw(system.watts_max)
    if system.watts_idle is None:
        return full
    idle = draw(system.watts_idle)
    return idle + (full - idle) * combined(lambda used: np.clip(used, 0.0, 1.0), utilisation)


def most_watts(system: PlannedSystem, draw: Draw) -> Number | None:
    """At full load."""
    return (
        draw(system.watts_curve[-1])
        if system.watts_curve
        else draw(system.watts_max)
        if system.watts_max
        else None
    )


def power_words(system: PlannedSystem) -> str:
    """How its power is known."""
    if system.watts_curve:
        return f"{len(system.watts_curve)} points from idle to full load"
    if system.watts_max is None or "watts_idle" in system.unknown:
        return "not told"
    return "a straight line from idle to full load" if system.watts_idle else "full load all the time"
