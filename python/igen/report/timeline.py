"""What a timeline chart shows: the repeats of a level one after another, at most so many columns."""

from __future__ import annotations

from dataclasses import dataclass

from igen.analysis.result import Interval, Level, Repeat, Result

MOST_COLUMNS = 240
"""Of one level; more would be narrower than two pixels."""
LEAST_COLUMNS = 60
COLUMNS_OF_REPORT = 6000
"""Shared by all levels of a report: its size must not grow with the length of its runs."""
GAP = 0.025
"""Between repeats, as a share of all intervals."""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one repeat, one interval or several, on the common axis."""

    start: float
    end: float
    throughput_per_s: float
    response_p50_ms: float | None
    response_p99_ms: float | None
    measured: bool
    heat: list[list[float]]


@dataclass(frozen=True, slots=True)
class Track:
    """One repeat on the common axis."""

    repeat: Repeat
    start: float
    measure_start: float
    end: float
    spans: list[Span]


def _ends(timeline: list[Interval]) -> list[float]:
    """End of each interval: the start of the next; the last is as long as the one before it."""
    starts = [interval.start_s for interval in timeline]
    last = starts[-1] - starts[-2] if len(starts) > 1 else 1.0
    return [*starts[1:], starts[-1] + last]


def _highest(values: list[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


def _merge(timeline: list[Interval], ends: list[float], offset: float, most: int) -> list[Span]:
    """Neighbours drawn as one span: mean throughput, highest percentiles, all counts of the heat map."""
    step = -(-len(timeline) // most)
    spans = []
    for first in range(0, len(timeline), step):
        part = timeline[first : first + step]
        lengths = [
            end - interval.start_s for interval, end in zip(part, ends[first : first + step], strict=True)
        ]
        done = sum(interval.throughput_per_s * length for interval, length in zip(part, lengths, strict=True))
        spans.append(
            Span(
                start=offset + part[0].start_s,
                end=offset + part[0].start_s + sum(lengths),
                throughput_per_s=done / sum(lengths),
                response_p50_ms=_highest([interval.response_p50_ms for interval in part]),
                response_p99_ms=_highest([interval.response_p99_ms for interval in part]),
                measured=part[0].measured,
                heat=[pair for interval in part for pair in interval.heat],
            )
        )
    return spans


def columns_of_level(result: Result) -> int:
    """How many columns each level of this report may have."""
    levels = sum(len(system.levels) for system in result.systems)
    return max(LEAST_COLUMNS, min(MOST_COLUMNS, COLUMNS_OF_REPORT // max(1, levels)))


def _columns_of_repeat(repeats: int, columns: int) -> int:
    return max(1, columns // max(1, repeats))


def merged_intervals(result: Result) -> int:
    """How many intervals a column may stand for; usually 1."""
    columns = columns_of_level(result)
    merged = (
        -(-len(repeat.timeline) // _columns_of_repeat(len(level.repeats), columns))
        for system in result.systems
        for level in system.levels
        for repeat in level.repeats
    )
    return max(merged, default=1)


def tracks(level: Level, columns: int) -> list[Track]:
    """The repeats of a level one after another, in seconds on one axis that begins at 0."""
    shown = [repeat for repeat in level.repeats if repeat.timeline]
    lengths = [_ends(repeat.timeline)[-1] - repeat.timeline[0].start_s for repeat in shown]
    gap = GAP * sum(lengths)
    most = _columns_of_repeat(len(shown), columns)
    found = []
    start = 0.0
    for repeat, length in zip(shown, lengths, strict=True):
        offset = start - repeat.timeline[0].start_s
        spans = _merge(repeat.timeline, _ends(repeat.timeline), offset, most)
        found.append(Track(repeat, start, offset, start + length, spans))
        start += length + gap
    return found
