"""Which figures may be used: throughput and times have a verdict each.

Late wake-ups spoil the times and leave the throughput as it is; other disturbances may do the reverse. A
level or run is SUSPECT as a whole then, so that whoever reads one of both figures must ask for that one.
"""

from __future__ import annotations

from collections.abc import Sequence

from igen.judge.result import Level, Repeat


def has_throughput(of: Level | Repeat) -> bool:
    """Whether its throughput may be used."""
    return "INVALID" not in (of.verdict, of.throughput_verdict)


def has_times(of: Level | Repeat) -> bool:
    """Whether it has times and these may be used."""
    return of.response_time_ms is not None and "INVALID" not in (of.verdict, of.times_verdict)


def usable(levels: Sequence[Level]) -> list[Level]:
    """Levels of whose throughput something may be said."""
    return [level for level in levels if has_throughput(level) and worked(level)]


def usable_times(levels: Sequence[Level]) -> list[Level]:
    """Levels of whose times something may be said."""
    return [level for level in levels if has_times(level) and worked(level)]


def worked(level: Level) -> bool:
    """Whether each run that counts had a transaction."""
    return min((run.throughput_per_s for run in level.repeats if run.used), default=0) > 0
