"""Which figures may be used: throughput and times have a verdict each.

What disturbs the times may leave the throughput as it is, and the reverse. A level or run is SUSPECT as a
whole then, so that whoever reads one of both figures must ask for that one. Late starts of the driver are a
bound on the times and leave their verdict alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from igen.judge.result import Level, Repeat
from igen.judge.trust.rules.machine import BEYOND_USE_PERCENT


def has_throughput(of: Level | Repeat) -> bool:
    """Whether its throughput may be used."""
    return of.trust.throughput != "INVALID"


def has_times(of: Level | Repeat) -> bool:
    """Whether it has times and these may be used."""
    return of.response_time_ms is not None and of.trust.times != "INVALID"


def has_exact_times(of: Level | Repeat) -> bool:
    """Return whether its times may be used without their bound: late starts are not beyond use."""
    late = of.trust.disturbance.late
    return has_times(of) and (late is None or late.times.width_percent <= BEYOND_USE_PERCENT.value)


def is_sound(level: Level) -> bool:
    """Return whether nothing speaks against the figures of a level but, perhaps, that it has one run."""
    return all(each.row.grade in ("VALID", "ONE RUN") for each in level.findings)


def usable(levels: Sequence[Level]) -> list[Level]:
    """Levels of whose throughput something may be said."""
    return [level for level in levels if has_throughput(level) and worked(level)]


def usable_times(levels: Sequence[Level]) -> list[Level]:
    """Levels of whose times something may be said."""
    return [level for level in levels if has_times(level) and worked(level)]


def worked(level: Level) -> bool:
    """Whether each run that counts had a transaction."""
    return min((run.throughput_per_s for run in level.repeats if run.used), default=0) > 0
