"""How a curve goes, in one sentence: it levels off, falls, or still grows at the highest load tried."""

from __future__ import annotations

from collections.abc import Iterator

from igen.judge.curve.points import is_highest_tried
from igen.judge.result import Finding, Level, Part, System
from igen.judge.trust.finding import figure, finding
from igen.judge.trust.usable import usable
from igen.layout.level import LoadAxis


def shape_of(system: System) -> Iterator[Finding]:
    """Yield what more load brings to one system under a closed load; nothing about a single load.

    A plateau is named by its start, as the peak is.
    """
    levels, peak = usable(system.levels), system.peak
    if peak is None or len(levels) < 2 or system.scaling:
        return
    axis = LoadAxis.over([system])
    on_plateau = [level for level in levels if level.level in (peak.level, *peak.alike_levels)]
    (first,) = (level for level in on_plateau if level.level == peak.level)
    parts = [
        figure("throughput_per_s", peak.throughput_per_s, system.transaction),
        Part(name="load", text=axis.name(first)),
    ]
    highest = max(levels, key=axis.value)
    if peak.levels_off:
        yield finding("levels-off", *parts, *_fall(highest, on_plateau, axis))
    elif is_highest_tried(system):
        yield finding("still-grows", *parts)
    else:
        yield finding("highest-at", *parts, *_fall(highest, on_plateau, axis))


def _fall(highest: Level, on_plateau: list[Level], axis: LoadAxis) -> list[Part]:
    """Return by how much it falls up to the highest load, if that is no part of the plateau."""
    if highest in on_plateau:
        return []
    top = max(level.throughput_per_s.value for level in on_plateau)
    fall_percent = 100 * (1 - highest.throughput_per_s.value / top)
    return [Part(name="fall_percent", figure=fall_percent, text=axis.name(highest))]
