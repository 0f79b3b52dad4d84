"""What a timeline chart shows: the repeats of a level one after another, at most so many columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from igen.document import Picture, Span, Timeline, Track
from igen.judge.result import Interval, Level, Repeat, Result, System
from igen.judge.trust.finding import reasons
from igen.layout.dots import MARKS
from igen.layout.level import LoadAxis, colour_places
from igen.layout.number import significant, time_ms
from igen.say import say
from igen.text import Text
from igen.units import counted

MOST_COLUMNS = 240
"""Columns of the picture of one level; more would be narrower than two pixels."""
LEAST_COLUMNS = 60
COLUMNS_OF_REPORT = 6000
"""Shared by all levels of a report: its size must not grow with the length of its runs."""
MOST_NAMED = 4
"""With more runs than this their numbers stand alone; those in brackets are not used."""
GAP = 0.025
"""Between repeats, as a share of all intervals."""


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
                start_s=offset + part[0].start_s,
                end_s=offset + part[0].start_s + sum(lengths),
                measured=part[0].measured,
                per_s=done / sum(lengths),
                p50_ms=_highest([interval.response_p50_ms for interval in part]),
                p99_ms=_highest([interval.response_p99_ms for interval in part]),
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
        name = _name(repeat, short=len(shown) > MOST_NAMED)
        found.append(
            Track(name, MARKS[repeat.trust.verdict], start, offset, start + length, spans, _tip(repeat))
        )
        start += length + gap
    return found


def _name(repeat: Repeat, *, short: bool) -> str:
    number = repeat.repeat + 1
    if short:
        return f"{number}" if repeat.used else f"({number})"
    return f"repeat {number}" if repeat.used else f"repeat {number}, not used"


def _tip(repeat: Repeat) -> Text:
    words = [f"repeat {repeat.repeat + 1}: {significant(repeat.throughput_per_s, 4)}/s"]
    if repeat.response_time_ms is not None:
        times = repeat.response_time_ms
        words.append(f"response p50 {time_ms(times.p50)}, p99 {time_ms(times.p99)}")
    words.append(f"{significant(repeat.measured_s)} s measured, first {significant(repeat.cut_s)} s cut")
    verdict = Text.of(repeat.trust.verdict, *map(say, reasons(repeat.findings)), between="; ")
    return Text.of(*words, verdict, between="\n")


def edges_of(system: System) -> list[float]:
    """Upper edges of the buckets of response times that occur, ascending: one axis for all levels."""
    return sorted(
        {
            edge_ms
            for level in system.levels
            for repeat in level.repeats
            for interval in repeat.timeline
            for edge_ms, count in interval.heat
            if count > 0 and edge_ms > 0
        }
    )


def level_pictures(result: Result, system: System, level: Level, edges_ms: Sequence[float]) -> list[Picture]:
    """Throughput and heat map of one level; none without a timeline."""
    shown = tracks(level, columns_of_level(result))
    if not shown:
        return []
    place = result.systems.index(system)
    name = f"timeline-{place + 1}-{level.level}"
    colour = colour_places(result)[system.name]
    repeats = counted(len(shown), "repeat")
    who = f"{system.name}, {LoadAxis.of(result).name(level)}, {repeats} from left to right"
    found = [
        Picture(
            f"{name}-throughput",
            "Throughput per s",
            f"Throughput per s over time: {who}.",
            Timeline([_without_heat(track) for track in shown], colour),
        )
    ]
    if edges_ms:
        found.append(
            Picture(
                f"{name}-response-time",
                "Response time, ms (log scale)",
                f"Heat map of response times over time: {who}.",
                Timeline(shown, colour, edges_ms),
            )
        )
    return found


def _without_heat(track: Track) -> Track:
    return replace(track, spans=[replace(span, heat=()) for span in track.spans])
