"""Readings of monitors that nobody here knows, as series: a new monitor is shown without a line for it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from igen.judge.figure.interval import mean_interval
from igen.judge.record.recording import Reading
from igen.judge.result import Series
from igen.judge.run.measured import MeasuredRun

TOLD = frozenset({"clients", "cpu", "disk", "memory", "network", "pressure", "process", "processes"})
"""Monitors whose readings the resources of a level tell."""
UNITS = ("bytes", "percent", "celsius", "mhz", "hz", "ms", "us", "ns", "s", "w", "j")
"""Ends of names that are units."""

Place = tuple[str, str, str]
"""Monitor, subject and metric with its unit."""


def readings_of(runs: Sequence[MeasuredRun], told: Collection[str] = ()) -> list[Series]:
    """What each monitor read while a level was measured, but for those that are `told` elsewhere.

    Of a counter its growth a second, of a gauge the mean of its readings; means over runs. A series that no
    run has throughout its measured time is left out.
    """
    runs = [run for run in runs if run.intervals]
    counters = dict.fromkeys(place for run in runs for place in _places(run, "counters", told))
    gauges = dict.fromkeys(place for run in runs for place in _places(run, "gauges", told))
    found = [
        *(_series(runs, place, is_counter=True) for place in counters),
        *(_series(runs, place, is_counter=False) for place in gauges),
    ]
    return sorted(filter(None, found), key=lambda each: (each.source, each.subject))


def metric_and_unit(name: str) -> tuple[str, str]:
    """`queued_bytes` in two: `queued`, `bytes`; the unit is empty for a number."""
    metric, _, unit = name.rpartition("_")
    return (metric, unit) if metric and unit in UNITS else (name, "")


def _places(run: MeasuredRun, kind: str, told: Collection[str]) -> Iterator[Place]:
    named = _named(run)
    for (monitor, subject), readings in run.recording.readings.items():
        if monitor not in TOLD and monitor not in told and (monitor, subject) not in named:
            for name in dict.fromkeys(name for reading in readings for name in getattr(reading, kind)):
                yield monitor, subject, name


def _named(run: MeasuredRun) -> set[tuple[str, str]]:
    """Programs that are named with what they disturbed; their sum is shown."""
    return {("short_lived", subject) for subject in run.host.subjects("short_lived") if subject != "all"}


def _series(runs: Sequence[MeasuredRun], place: Place, *, is_counter: bool) -> Series | None:
    monitor, subject, name = place
    means = [
        run.host.per_s(monitor, name, subject) if is_counter else run.host.mean_gauge(monitor, name, subject)
        for run in runs
    ]
    known = [(run, mean) for run, mean in zip(runs, means, strict=True) if mean is not None]
    if not known:
        return None
    first, _ = known[0]
    metric, unit = metric_and_unit(name)
    return Series(
        source=monitor,
        host=first.recording.host,
        subject=subject,
        metric=metric,
        unit=unit,
        kind="counter" if is_counter else "gauge",
        mean=mean_interval([mean for _, mean in known]),
        timeline=_timeline(first, place, is_counter=is_counter),
    )


def _timeline(run: MeasuredRun, place: Place, *, is_counter: bool) -> list[tuple[float, float]]:
    monitor, subject, name = place
    readings = run.recording.readings[monitor, subject]
    begin_s = run.recording.measure[0].start_s
    if not is_counter:
        return [(each.at_s - begin_s, each.gauges[name]) for each in readings if name in each.gauges]
    counted = [each for each in readings if name in each.counters]
    return [
        (last.at_s - begin_s, _growth_per_s(first, last, name))
        for first, last in pairwise(counted)
        if last.at_s > first.at_s
    ]


def _growth_per_s(first: Reading, last: Reading, name: str) -> float:
    return max(last.counters[name] - first.counters[name], 0.0) / (last.at_s - first.at_s)
