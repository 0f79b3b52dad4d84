"""What happened over time at one level: throughput, or a heat map of response times; runs side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from igen.document import Timeline, Track
from igen.printed import printed
from igen.report.charts.axes import LINE_PX, Measure, plain, short
from igen.report.charts.ends import End, end_names
from igen.report.charts.heatmap import HeatGrid, data_uri, shade
from igen.report.charts.theme import (
    COLOUR,
    FAINT,
    FONT_PX,
    INK,
    LEFT,
    MUTED,
    PERCENTILE_COLOUR,
    WARM_UP_OPACITY,
    WIDTH,
    Layer,
    Row,
    Spec,
    at,
    field,
    finish,
    heading,
    layer,
    width_px,
)
from igen.report.palette import MARK_COLOURS, system_colour

RIGHT_MARGIN = 46
PLOT_WIDTH = WIDTH - LEFT - RIGHT_MARGIN
NAME_FONT_PX = 11
TITLE_TOP = 44
"""Room above the upper picture: its title, and below that the names of the runs."""
THROUGHPUT_HEIGHT = 144
HEAT_HEIGHT = 216
HEAT_TOP = 24
HEAT_BOTTOM = 24
MOST_TIMED = 12
"""With more runs than this only the first shows its begin and end."""


def timeline_spec(title: str, chart: Timeline) -> Spec:
    """Two charts of the same runs share their time axis."""
    return _heat(title, chart) if chart.edges_ms else _throughput(title, chart)


def _x(name: str, end_s: float) -> dict[str, Any]:
    return field(name, scale={"domain": [0, end_s], "nice": False}, axis=None)


def _not_measured(chart: Timeline, end_s: float) -> Layer:
    """Grey behind what does not count: warm-up, and what was cut from the measurement."""
    rows: list[Row] = []
    for track in chart.tracks:
        for span in track.spans:
            if span.measured:
                continue
            if rows and rows[-1]["end"] == span.start_s:
                rows[-1]["end"] = span.end_s
            else:
                rows.append({"start": span.start_s, "end": span.end_s})
    stretch = {"x": _x("start", end_s), "x2": {"field": "end"}}
    return layer(rows, "rect", stretch, color=FAINT, opacity=WARM_UP_OPACITY)


def _throughput(title: str, chart: Timeline) -> Spec:
    end_s = chart.tracks[-1].end_s
    rows: list[Row] = [
        {"start": at_s, "rate": span.per_s, "track": number}
        for number, track in enumerate(chart.tracks)
        for span, at_s in [*((span, span.start_s) for span in track.spans), (track.spans[-1], track.end_s)]
    ]
    top = 1.1 * max(1e-9, *(row["rate"] for row in rows))
    upward = Measure(0.0, top, THROUGHPUT_HEIGHT - TITLE_TOP - 8, downward=True)
    ticks = upward.steps()[::2]
    heads: list[Row] = [
        {
            "at": (track.start_s + track.end_s) / 2,
            "start": track.start_s,
            "end": track.end_s,
            "text": track.name,
            "colour": MUTED if track.mark == "filled" else MARK_COLOURS[track.mark],
            "tip": printed(track.tip),
        }
        for track in chart.tracks
    ]
    steps = {
        "x": _x("start", end_s),
        "y": upward.channel("rate", ticks=ticks, label=short, grid=True),
        "detail": field("track", "nominal"),
    }
    names = {"x": _x("at", end_s), "y": at(-5), "text": field("text", "nominal"), "color": COLOUR}
    told = {"x": _x("start", end_s), "x2": {"field": "end"}, "description": field("tip", "nominal")}
    layers = [
        heading(title, left=LEFT - 8, above=23),
        _not_measured(chart, end_s),
        layer(
            rows,
            "line",
            steps,
            color=system_colour(chart.colour),
            strokeWidth=1.6,
            interpolate="step-after",
        ),
        layer(_with_room(heads, end_s), "text", names, fontSize=NAME_FONT_PX, baseline="bottom"),
        layer(heads, "rect", told, opacity=0),
    ]
    return finish(
        layers, width=WIDTH, height=THROUGHPUT_HEIGHT, left=LEFT, right=RIGHT_MARGIN, top=TITLE_TOP, bottom=8
    )


def _with_room(heads: Sequence[Row], end_s: float) -> list[Row]:
    """Those whose names do not touch: first those with a colour that says something."""
    kept: list[Row] = []
    for head in sorted(heads, key=lambda each: each["colour"] == MUTED):
        if all(
            abs(head["at"] - other["at"]) / end_s * PLOT_WIDTH
            > (width_px(head["text"]) + width_px(other["text"])) / 2 * NAME_FONT_PX / FONT_PX
            for other in kept
        ):
            kept.append(head)
    return kept


def _percentiles(
    chart: Timeline, grid: HeatGrid, end_s: float, y: dict[str, Any], upward: Measure
) -> list[Layer]:
    """Lines of the median and the 99th percentile, named at their right end."""
    layers: list[Layer] = []
    ends: list[End] = []
    for label, colour in (("p50", INK), ("p99", PERCENTILE_COLOUR)):
        stretches = [each for track in chart.tracks for each in _stretches(track, label)]
        rows: list[Row] = [
            {"start": at_s, "ms": min(max(value_ms, grid.bottom_ms), grid.top_ms), "stretch": number}
            for number, stretch in enumerate(stretches)
            for at_s, value_ms in stretch
        ]
        if rows:
            on = {"x": _x("start", end_s), "y": {**y, "field": "ms"}, "detail": field("stretch", "nominal")}
            layers.append(layer(rows, "line", on, color=colour, strokeWidth=1.4))
            ends.append(End(PLOT_WIDTH + 6, upward.px(rows[-1]["ms"]), label, colour))
    return [*layers, *end_names(ends, LINE_PX - 2, fontSize=11)]


def _stretches(track: Track, label: str) -> Iterator[list[tuple[float, float]]]:
    """Times and values without a gap between them: nothing is said of intervals in which nothing ended."""
    found = ((span, span.p50_ms if label == "p50" else span.p99_ms) for span in track.spans)
    for is_known, group in groupby(found, key=lambda each: each[1] is not None):
        stretch = [(span, value_ms) for span, value_ms in group if value_ms is not None]
        if is_known and len(stretch) == 1:
            ((span, value_ms),) = stretch
            yield [(span.start_s, value_ms), (span.end_s, value_ms)]
        elif is_known:
            yield [((span.start_s + span.end_s) / 2, value_ms) for span, value_ms in stretch]


def _clock(tracks: Sequence[Track], end_s: float) -> list[Layer]:
    """Begin and end of each measurement, in place of an axis."""
    timed = tracks if len(tracks) <= MOST_TIMED else tracks[:1]
    below = at(HEAT_HEIGHT - HEAT_TOP - HEAT_BOTTOM + 6)
    ends: list[tuple[str, list[Row]]] = [
        ("center", [{"at": track.measure_start_s, "text": "0"} for track in timed]),
        (
            "right",
            [
                {"at": track.end_s, "text": f"{plain(round(track.end_s - track.measure_start_s, 1))} s"}
                for track in timed
            ],
        ),
    ]
    return [
        layer(
            rows,
            "text",
            {"x": _x("at", end_s), "y": below, "text": field("text", "nominal")},
            align=align,
            baseline="top",
            fontSize=11,
            color=MUTED,
        )
        for align, rows in ends
    ]


def _heat(title: str, chart: Timeline) -> Spec:
    """The darker, the more transactions."""
    end_s = chart.tracks[-1].end_s
    grid = HeatGrid.over(chart.edges_ms)
    counts = [grid.pixels(grid.counts([span.heat for span in track.spans])) for track in chart.tracks]
    most = max(float(each.max()) for each in counts)
    images: list[Row] = [
        {
            "start": track.start_s,
            "end": track.end_s,
            "bottom": grid.bottom_ms,
            "top": grid.top_ms,
            "image": data_uri(shade(each, most)),
        }
        for track, each in zip(chart.tracks, counts, strict=True)
    ]
    upward = Measure(grid.bottom_ms, grid.top_ms, HEAT_HEIGHT - HEAT_TOP - HEAT_BOTTOM, "log", downward=True)
    y = upward.channel("bottom", grid=True)
    placed = {
        "x": _x("start", end_s),
        "x2": {"field": "end"},
        "y": y,
        "y2": {"field": "top"},
        "url": field("image", "nominal"),
    }
    layers = [
        heading(title, left=LEFT - 8, above=6),
        _not_measured(chart, end_s),
        layer(images, "image", placed, aspect=False, smooth=False),
        *_percentiles(chart, grid, end_s, y, upward),
        *_clock(chart.tracks, end_s),
    ]
    return finish(
        layers,
        width=WIDTH,
        height=HEAT_HEIGHT,
        left=LEFT,
        right=RIGHT_MARGIN,
        top=HEAT_TOP,
        bottom=HEAT_BOTTOM,
    )
