"""Timeline and latency heat map of one level: two pictures with one time axis, its repeats side by side."""

from __future__ import annotations

import altair as alt

from igen.analysis.result import System
from igen.report.charts.panel import round_steps
from igen.report.charts.render import Picture, draw
from igen.report.charts.theme import (
    GRID,
    INK,
    MUTED,
    PERCENTILE_COLOUR,
    WARM_UP,
    Row,
    blank,
    finish,
    heading,
)
from igen.report.heatmap import HeatGrid, data_uri, shade
from igen.report.number import plain, significant, time_ms
from igen.report.palette import VERDICT_COLOURS
from igen.report.timeline import Track

WIDTH = 560
RIGHT_MARGIN = 46
TITLE_TOP = 44
"""Room above the upper picture: its title, and below that the names of the repeats."""
THROUGHPUT_HEIGHT = 144
HEAT_HEIGHT = 216
HEAT_TOP = 24
HEAT_BOTTOM = 24
MOST_NAMED = 4
"""With more repeats than this their numbers stand alone; those in brackets are not used."""
MOST_TIMED = 12
"""With more repeats than this only the first shows its begin and end."""


def heat_grid(system: System) -> HeatGrid | None:
    """One grid for all levels of a system, so that their heat maps can be compared."""
    return HeatGrid.of(
        interval.heat for level in system.levels for repeat in level.repeats for interval in repeat.timeline
    )


def _x(field: str, end: float) -> alt.X:
    return alt.X(f"{field}:Q", scale=alt.Scale(domain=[0, end], nice=False), axis=None)


def _not_measured(shown: list[Track], end: float) -> list[alt.Chart]:
    """Grey behind what does not count: warm-up, and what was cut from the measurement."""
    values: list[Row] = [
        {"start": span.start, "end": span.end} for track in shown for span in track.spans if not span.measured
    ]
    return [blank(values).mark_rect(color=WARM_UP, aria=False).encode(_x("start", end), x2="end")]


def _tip(track: Track) -> str:
    repeat = track.repeat
    words = [f"repeat {repeat.repeat + 1}: {significant(repeat.throughput_per_s, 4)}/s"]
    if repeat.response_time_ms is not None:
        times = repeat.response_time_ms
        words.append(f"response p50 {time_ms(times.p50)}, p99 {time_ms(times.p99)}")
    words.append(f"{significant(repeat.measured_s)} s measured, first {significant(repeat.cut_s)} s cut")
    return "\n".join([*words, "; ".join([repeat.verdict, *repeat.reasons])])


def _repeat_name(track: Track, *, short: bool) -> str:
    number = track.repeat.repeat + 1
    if short:
        return f"{number}" if track.repeat.used else f"({number})"
    return f"repeat {number}" if track.repeat.used else f"repeat {number}, not used"


def throughput_strip(name: str, shown: list[Track], colour: str) -> Picture | None:
    """Throughput over time; nothing without a timeline."""
    if not shown:
        return None
    end = shown[-1].end
    values: list[Row] = [
        {"start": at, "rate": span.throughput_per_s, "track": index}
        for index, track in enumerate(shown)
        for span, at in [*((span, span.start) for span in track.spans), (track.spans[-1], track.end)]
    ]
    top = 1.1 * max(1e-9, *(row["rate"] for row in values))
    y = alt.Y(
        "rate:Q",
        scale=alt.Scale(domain=[0, top], nice=False),
        axis=alt.Axis(title=None, tickCount=3, format=",~f" if top < 1e6 else "~s", gridColor=GRID),
    )
    heads: list[Row] = [
        {
            "at": (track.start + track.end) / 2,
            "text": _repeat_name(track, short=len(shown) > MOST_NAMED),
            "colour": MUTED if track.repeat.verdict == "VALID" else VERDICT_COLOURS[track.repeat.verdict],
            "middle": top / 2,
            "tip": _tip(track),
        }
        for track in shown
    ]
    reach = max(400, round(0.5 * (WIDTH / len(shown)) ** 2))
    layers = [
        heading("Throughput per s", left=50, above=23),
        *_not_measured(shown, end),
        blank(values)
        .mark_line(color=colour, strokeWidth=1.6, interpolate="step-after", aria=False)
        .encode(_x("start", end), y, detail="track:N"),
        blank(heads)
        .mark_text(aria=False, fontSize=11, baseline="bottom")
        .encode(x=_x("at", end), y=alt.value(-5), text="text:N", color=alt.Color("colour:N", scale=None)),
        blank(heads)
        .mark_point(size=reach, opacity=0, filled=True, shape="square", clip=True)
        .encode(_x("at", end), alt.Y("middle:Q"), description="tip:N"),
    ]
    chart = finish(layers, width=WIDTH, height=THROUGHPUT_HEIGHT, right=RIGHT_MARGIN, top=TITLE_TOP, bottom=8)
    description = f"Throughput per s over time, {len(shown)} repeats from left to right."
    return draw(f"{name}-throughput", description, chart)


def _times(shown: list[Track], grid: HeatGrid, end: float, y: alt.Y) -> list[alt.Chart]:
    """Lines of the median and the 99th percentile, named at their right end."""
    layers = []
    for label, colour in (("p50", INK), ("p99", PERCENTILE_COLOUR)):
        values: list[Row] = []
        for index, track in enumerate(shown):
            for span in track.spans:
                value = span.response_p50_ms if label == "p50" else span.response_p99_ms
                if value is not None:
                    middle = (span.start + span.end) / 2
                    shown_ms = min(max(value, grid.bottom_ms), grid.top_ms)
                    values.append({"start": middle, "ms": shown_ms, "track": index, "label": label})
        if values:
            line = blank(values).mark_line(color=colour, strokeWidth=1.4, aria=False)
            word = blank(values[-1:]).mark_text(
                align="left", dx=9, dy=7 if label == "p50" else -5, color=colour, fontSize=11, aria=False
            )
            layers += [
                line.encode(_x("start", end), y, detail="track:N"),
                word.encode(_x("start", end), y, text="label:N"),
            ]
    return layers


def _clock(shown: list[Track], end: float) -> list[alt.Chart]:
    """Begin and end of each measurement, in place of an axis."""
    timed = shown if len(shown) <= MOST_TIMED else shown[:1]
    below = alt.value(HEAT_HEIGHT - HEAT_TOP - HEAT_BOTTOM + 6)
    begins: list[Row] = [{"at": track.measure_start, "text": "0"} for track in timed]
    ends: list[Row] = [
        {"at": track.end, "text": f"{plain(round(track.end - track.measure_start, 1))} s"} for track in timed
    ]
    layers = [blank(begins).mark_text(align="center", baseline="top", fontSize=11, color=MUTED, aria=False)]
    layers += [blank(ends).mark_text(align="right", baseline="top", fontSize=11, color=MUTED, aria=False)]
    return [layer.encode(x=_x("at", end), y=below, text="text:N") for layer in layers]


def heat_strip(name: str, shown: list[Track], grid: HeatGrid | None) -> Picture | None:
    """Response times over time as a heat map; darker is more transactions."""
    if not shown or grid is None:
        return None
    end = shown[-1].end
    counts = [grid.pixels(grid.counts([span.heat for span in track.spans])) for track in shown]
    most = max(float(each.max()) for each in counts)
    images: list[Row] = [
        {
            "start": track.start,
            "end": track.end,
            "ms": grid.bottom_ms,
            "top": grid.top_ms,
            "image": data_uri(shade(each, most)),
        }
        for track, each in zip(shown, counts, strict=True)
    ]
    y = alt.Y(
        "ms:Q",
        scale=alt.Scale(type="log", domain=[grid.bottom_ms, grid.top_ms], nice=False),
        axis=alt.Axis(
            title=None,
            values=round_steps(grid.bottom_ms, grid.top_ms),
            format=",~r",
            gridColor=GRID,
            labelOverlap="greedy",
        ),
    )
    layers = [
        heading("Response time, ms (log scale)", left=50, above=6),
        *_not_measured(shown, end),
        blank(images)
        .mark_image(aspect=False, smooth=False, aria=False)
        .encode(_x("start", end), y, x2="end", y2="top", url="image:N"),
        *_times(shown, grid, end, y),
        *_clock(shown, end),
    ]
    chart = finish(
        layers, width=WIDTH, height=HEAT_HEIGHT, right=RIGHT_MARGIN, top=HEAT_TOP, bottom=HEAT_BOTTOM
    )
    description = f"Heat map of response times over time, {len(shown)} repeats from left to right."
    return draw(f"{name}-response-time", description, chart)
