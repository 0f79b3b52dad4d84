"""What monitors read that no other picture tells, over time."""

from __future__ import annotations

from collections.abc import Sequence

from igen.document import Axis, ChartLine, Dot, Lines, Picture
from igen.judge.result import Level, Series
from igen.report.readings_table import unit_of

MOST_PICTURES = 12
"""Pictures of one level; the table has all."""
MOST_LINES = 6
"""Lines of one picture: the subjects with the largest means."""
MOST_DOTS = 120
"""Dots of one line; of more, neighbours are drawn as their mean."""


def readings_pictures(level: Level, name: str) -> list[Picture]:
    """One for each metric of each monitor with all its subjects, at one level, whose `name` is its own."""
    by_metric: dict[tuple[str, str, str, str], list[Series]] = {}
    for series in level.readings:
        if len(series.timeline) > 1 and any(value for _, value in series.timeline):
            by_metric.setdefault((series.source, series.host, series.metric, unit_of(series)), []).append(
                series
            )
    several = len({series.host for series in level.readings}) > 1
    return [
        _picture(f"readings-{name}-{place}", of_metric, several_hosts=several)
        for place, of_metric in enumerate([*by_metric.values()][:MOST_PICTURES], start=1)
    ]


def _picture(name: str, of_metric: Sequence[Series], *, several_hosts: bool) -> Picture:
    shown = sorted(of_metric, key=lambda series: -series.mean.value)[:MOST_LINES]
    first, unit = shown[0], unit_of(shown[0])
    host = f" on {first.host}" if several_hosts else ""
    title = f"{first.source}{host}: {first.metric.replace('_', ' ')}{f', {unit}' if unit else ''}"
    if len(shown) < len(of_metric):
        title += f", the {len(shown)} largest of {len(of_metric)}"
    lines = [
        ChartLine(series.subject or series.metric.replace("_", " "), colour, _dots(series), main=False)
        for colour, series in enumerate(shown)
    ]
    chart = Lines(Axis("seconds since the begin of MEASURE"), Axis(), lines)
    return Picture(name, title, f"{title}, over the time of the first run.", chart)


def _dots(series: Series) -> list[Dot]:
    step = -(-len(series.timeline) // MOST_DOTS)
    parts = [series.timeline[first : first + step] for first in range(0, len(series.timeline), step)]
    return [
        Dot(sum(at for at, _ in part) / len(part), sum(value for _, value in part) / len(part))
        for part in parts
    ]
