"""Levels whose repeats were counted by looking at them: their intervals must hold at every look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from igen.judge.figure.interval import log_interval
from igen.judge.result import Figure, Level, Times


def always_valid(level: Level) -> Level:
    """Return the level with confidence sequences for intervals."""
    runs = [run for run in level.repeats if run.used]
    return replace(
        level,
        throughput_per_s=_sequence(level.throughput_per_s, [run.throughput_per_s for run in runs]),
        response_time_ms=_of_times(level.response_time_ms, [run.response_time_ms for run in runs]),
        loads={name: always_valid(part) for name, part in level.loads.items()},
    )


def _of_times(times: Times | None, of_runs: Sequence[Times | None]) -> Times | None:
    if times is None:
        return None
    found = [each for each in of_runs if each is not None]
    mean, p99 = times.mean_interval, times.p99_interval
    return replace(
        times,
        mean_interval=mean and _sequence(mean, [each.mean for each in found]),
        p99_interval=p99 and _sequence(p99, [each.p99 for each in found]),
    )


def _sequence(mean: Figure, values: Sequence[float]) -> Figure:
    """Return the mean with the confidence sequence of these values; without an interval if they are few."""
    return log_interval(values, "sequence", about=mean.value)
