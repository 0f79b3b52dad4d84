"""What happened over time at one level: throughput, or a heat map of response times; runs side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from igen.document import Timeline, Track
from igen.printed import printed
from igen.report.draw.chart import Chart, Margins
from igen.report.draw.heat import HeatGrid, data_uri, shade
from igen.report.draw.labels import end_names
from igen.report.draw.marks import Box, Image, Line, Mark, Point, Rect, Words
from igen.report.draw.scale import Measure, plain, short
from igen.report.draw.style import (
    FAINT,
    INK,
    LEFT,
    MUTED,
    PERCENTILE_COLOUR,
    SMALL_PX,
    WARM_UP_OPACITY,
    WIDTH,
    width_px,
)
from igen.report.palette import MARK_COLOURS, system_colour

RIGHT = 46
PLOT_WIDTH = WIDTH - LEFT - RIGHT
THROUGHPUT_MARGINS = Margins(LEFT, 44, RIGHT, 8)
"""Above: the title, and below that the names of the runs."""
HEAT_MARGINS = Margins(LEFT, 24, RIGHT, 24)
THROUGHPUT_HEIGHT, HEAT_HEIGHT = 144, 216
MOST_TIMED = 12
"""With more runs than this only the first shows its start and end."""


def timeline_chart(title: str, chart: Timeline) -> Chart:
    """Return one of two charts of the same runs, which share their time axis."""
    time = Measure(0.0, chart.tracks[-1].end_s, PLOT_WIDTH)
    return _heat(title, chart, time) if chart.edges_ms else _throughput(title, chart, time)


def _not_measured(chart: Timeline, time: Measure, height: float) -> Iterator[Mark]:
    """Yield grey behind what does not count: warm-up, and what was cut from the measurement."""
    for track in chart.tracks:
        for measured, group in groupby(track.spans, key=lambda span: span.measured):
            spans = [*group]
            if not measured:
                box = Box(time.px(spans[0].start_s), 0.0, time.px(spans[-1].end_s), height)
                yield Rect(box, FAINT, opacity=WARM_UP_OPACITY)


def _throughput(title: str, chart: Timeline, time: Measure) -> Chart:
    height = THROUGHPUT_HEIGHT - THROUGHPUT_MARGINS.top - THROUGHPUT_MARGINS.bottom
    top = 1.1 * max(1e-9, *(span.per_s for track in chart.tracks for span in track.spans))
    upward = Measure(0.0, top, height, downward=True)
    marks = [*_not_measured(chart, time, height)]
    for track in chart.tracks:
        steps = [(time.px(span.start_s), upward.px(span.per_s)) for span in track.spans]
        steps.append((time.px(track.end_s), upward.px(track.spans[-1].per_s)))
        marks.append(Line(steps, system_colour(chart.colour), 1.6, stepped=True))
    marks += _heads(chart.tracks, time)
    for track in chart.tracks:
        box = Box(time.px(track.start_s), 0.0, time.px(track.end_s), height)
        marks.append(Rect(box, INK, opacity=0.0, tip=printed(track.tip)))
    axis = upward.axis("", upward.steps()[::2], short, grid=True)
    return Chart(title, THROUGHPUT_HEIGHT, THROUGHPUT_MARGINS, marks, None, axis, title_above_px=23)


def _heads(tracks: Sequence[Track], time: Measure) -> list[Words]:
    """Return the names of the runs that do not touch, those with a colour of their own first."""
    kept: list[Words] = []
    for track in sorted(tracks, key=lambda each: each.mark == "filled"):
        colour = MUTED if track.mark == "filled" else MARK_COLOURS[track.mark]
        x = time.px((track.start_s + track.end_s) / 2)
        if all(
            abs(x - other.at[0]) > (width_px(track.name, SMALL_PX) + width_px(other.text, SMALL_PX)) / 2
            for other in kept
        ):
            kept.append(Words(track.name, (x, -11.0), colour, "middle", SMALL_PX))
    return kept


def _percentiles(chart: Timeline, grid: HeatGrid, time: Measure, upward: Measure) -> list[Mark]:
    """Return lines of the median and the 99th percentile, named at their right end."""
    lines: list[Mark] = []
    ends = []
    for label, colour in (("p50", INK), ("p99", PERCENTILE_COLOUR)):
        stretches = [
            [(time.px(at_s), upward.px(min(max(ms, grid.bottom_ms), grid.top_ms))) for at_s, ms in stretch]
            for track in chart.tracks
            for stretch in _stretches(track, label)
        ]
        lines += [Line(stretch, colour, 1.4) for stretch in stretches]
        if stretches:
            ends.append((label, (PLOT_WIDTH + 6.0, stretches[-1][-1][1]), colour))
    return [*lines, *end_names(ends, SMALL_PX)]


def _stretches(track: Track, label: str) -> Iterator[list[Point]]:
    """Yield times and values without a gap: nothing is known of intervals in which nothing ended."""
    found = ((span, span.p50_ms if label == "p50" else span.p99_ms) for span in track.spans)
    for is_known, group in groupby(found, key=lambda each: each[1] is not None):
        stretch = [(span, value_ms) for span, value_ms in group if value_ms is not None]
        if is_known and len(stretch) == 1:
            ((span, value_ms),) = stretch
            yield [(span.start_s, value_ms), (span.end_s, value_ms)]
        elif is_known:
            yield [((span.start_s + span.end_s) / 2, value_ms) for span, value_ms in stretch]


def _clock(tracks: Sequence[Track], time: Measure, y: float) -> Iterator[Mark]:
    """Yield start and end of each measurement, in place of an axis."""
    for track in tracks if len(tracks) <= MOST_TIMED else tracks[:1]:
        length = f"{plain(round(track.end_s - track.measure_start_s, 1))} s"
        yield Words("0", (time.px(track.measure_start_s), y), MUTED, "middle", SMALL_PX)
        yield Words(length, (time.px(track.end_s), y), MUTED, "end", SMALL_PX)


def _heat(title: str, chart: Timeline, time: Measure) -> Chart:
    """Return the heat map: the darker, the more transactions."""
    grid = HeatGrid.over(chart.edges_ms)
    counts = [grid.pixels(grid.counts([span.heat for span in track.spans])) for track in chart.tracks]
    most = max(float(each.max()) for each in counts)
    height = HEAT_HEIGHT - HEAT_MARGINS.top - HEAT_MARGINS.bottom
    upward = Measure(grid.bottom_ms, grid.top_ms, height, "log", downward=True)
    images = [
        Image(Box(time.px(track.start_s), 0.0, time.px(track.end_s), height), data_uri(shade(each, most)))
        for track, each in zip(chart.tracks, counts, strict=True)
    ]
    marks = [
        *_not_measured(chart, time, height),
        *images,
        *_percentiles(chart, grid, time, upward),
        *_clock(chart.tracks, time, height + 11.0),
    ]
    axis = upward.axis(grid=True)
    return Chart(title, HEAT_HEIGHT, HEAT_MARGINS, marks, None, axis, title_above_px=6)
