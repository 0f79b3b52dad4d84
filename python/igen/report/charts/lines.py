"""Lines over an axis: lines with bands, points by verdict, single runs, named points, guides, tooltips."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from igen.document import Axis, ChartLine, Dot, Lines, Note
from igen.printed import printed
from igen.report.charts import axes
from igen.report.charts.axes import LINE_PX, Measure
from igen.report.charts.ends import End, end_names
from igen.report.charts.labels import Box, Point, Wanted, place
from igen.report.charts.theme import (
    INK,
    LEFT,
    MUTED,
    WHITE,
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

HEIGHT = 340
MARGIN_TOP = 34
MARGIN_BOTTOM = 44
LEAST_RIGHT = 40
MOST_LABEL_PX = 205
ROOMY = 1.4
"""Narrow pages enlarge the letters of a chart by a quarter, and names are bold."""
LOG_X_ROOM = 1.3
"""Left of the lowest value on a logarithmic axis, so that its point stands clear of the axis."""
MOST_OVER = 2.5
"""An interval that ends higher than so many times the highest value is cut at the edge of the plot."""
NEAR_NOTES_PX = 40.0
GUIDE_STEPS = 60
DASHES = {"solid": [], "dashed": [6, 3], "dotted": [2, 2]}


@dataclass(frozen=True, slots=True)
class Plot:
    """A chart with its directions."""

    chart: Lines
    x: Measure
    y: Measure

    @classmethod
    def of(cls, chart: Lines) -> Plot:
        """Fits the axes to the data; linear ones begin at 0."""
        right = _right_margin(chart.series)
        return cls(
            chart,
            _x_measure(chart, WIDTH - LEFT - right),
            _y_measure(chart, HEIGHT - MARGIN_TOP - MARGIN_BOTTOM),
        )

    def point(self, x: float, y: float) -> Point:
        """Pixels in the plot."""
        return self.x.px(x), self.y.px(y)

    @property
    def box(self) -> Box:
        """The plot's own edges."""
        return Box(0, 0, self.x.length_px, self.y.length_px)


def _right_margin(series: Sequence[ChartLine]) -> int:
    longest = max((width_px(each.label) for each in series if each.label), default=0.0)
    return max(LEAST_RIGHT, round(min(ROOMY * longest, MOST_LABEL_PX)) + 22)


def _dots(chart: Lines) -> list[Dot]:
    return [dot for series in chart.series for dot in series.dots]


def _x_measure(chart: Lines, length: float) -> Measure:
    values = [dot.x for dot in _dots(chart)]
    low, high = min(values), max(values)
    if chart.x.scale == "log":
        return Measure(low / LOG_X_ROOM, high if high > low else high * LOG_X_ROOM, length, "log")
    if chart.x.scale == "percentile":
        return Measure(0.0, high, length)
    return Measure(0.0, high or 1.0, length)


def _y_measure(chart: Lines, length: float) -> Measure:
    dots = _dots(chart)
    highest = max(dot.y for dot in dots)
    ends = [
        end
        for series in chart.series
        for dot in series.dots
        for end in (dot.high if series.main else None, *(dot.runs if series.main else ()))
        if end is not None
    ]
    top = min(max([highest, *ends]), MOST_OVER * highest) if highest > 0 else 1.0
    if chart.y.scale == "log":
        low = min(dot.y for dot in dots if dot.y > 0)
        return Measure(low / 1.3, top * 1.3, length, "log", downward=True)
    return Measure(0.0, 1.12 * top, length, downward=True)


def _label(axis: Axis) -> Callable[[float], str]:
    if axis.unit == "bytes":
        return axes.size
    return axes.percentile if axis.scale == "percentile" else axes.short


def _channels(plot: Plot) -> dict[str, Layer]:
    """The axes, which all layers share."""
    x, y = plot.chart.x, plot.chart.y
    title = f"{x.title} (log scale)" if x.scale == "log" else x.title
    return {
        "x": plot.x.channel("x", title=title, ticks=x.ticks, label=_label(x)),
        "y": plot.y.channel("y", ticks=y.ticks, label=_label(y), grid=True),
    }


def _through(series: ChartLine) -> list[Dot]:
    """The dots that the line goes through: what is hollow stands beside it."""
    return [dot for dot in series.dots if dot.mark != "hollow"]


def _invalid(series: ChartLine) -> list[list[Dot]]:
    """The stretches of neighbours to name as such, the last dot of each first: one word stands for them."""
    stretches = groupby(series.dots, key=lambda dot: dot.mark == "hollow")
    return [[*dots][::-1] for is_invalid, dots in stretches if is_invalid]


def _line(series: ChartLine, plot: Plot, on: dict[str, Layer]) -> list[Layer]:
    colour = system_colour(series.colour)
    rows: list[Row] = [
        {"x": dot.x, "y": dot.y, "low": max(dot.low, plot.y.low), "high": min(dot.high, plot.y.high)}
        if dot.low is not None and dot.high is not None
        else {"x": dot.x, "y": dot.y}
        for dot in _through(series)
    ]
    banded = [row for row in rows if "low" in row] if series.main else []
    between = {**on, "y": {**on["y"], "field": "low"}, "y2": {"field": "high"}}
    dash = {"strokeDash": DASHES[series.dash]} if DASHES[series.dash] else {}
    width = 2.4 if series.main else 1.5
    return [
        layer(banded, "area", between, color=colour, opacity=0.16),
        layer(banded, "rule", between, color=colour, opacity=0.55, strokeWidth=1.2),
        layer(rows, "line", on, color=colour, strokeWidth=width, **dash),
    ]


def _runs(series: ChartLine, plot: Plot, on: dict[str, Layer]) -> list[Layer]:
    """A small dot for each run; none of a run alone, which the point itself shows."""
    rows: list[Row] = [
        {"x": dot.x, "y": run}
        for dot in series.dots
        if len(dot.runs) > 1
        for run in dot.runs
        if plot.y.low <= run <= plot.y.high
    ]
    style = {"filled": True, "size": 13, "opacity": 0.75, "color": INK}
    return [layer(rows, "point", on, **style)]


def _points(series: ChartLine, on: dict[str, Layer]) -> list[Layer]:
    colour = system_colour(series.colour)
    layers = []
    for mark, fill in (("filled", colour), ("diamond", colour), ("hollow", WHITE)):
        rows = [{"x": dot.x, "y": dot.y} for dot in series.dots if dot.mark == mark]
        shape = {"shape": "diamond", "size": 90} if mark == "diamond" else {"shape": "circle", "size": 60}
        layers.append(layer(rows, "point", on, fill=fill, stroke=colour, strokeWidth=1.8, opacity=1, **shape))
    return layers


def _reach(series: ChartLine, on: dict[str, Layer]) -> Layer:
    """Invisible discs that carry the words shown where one points."""
    rows = [{"x": dot.x, "y": dot.y, "tip": printed(dot.tip)} for dot in series.dots if dot.tip]
    told = {**on, "description": field("tip", "nominal")}
    return layer(rows, "point", told, size=500, opacity=0, filled=True)


def _end_labels(plot: Plot) -> list[Layer]:
    """The names of the series, at their right ends and never on each other."""
    ended = [(each, _through(each)[-1]) for each in plot.chart.series if each.label and _through(each)]
    ends = [
        End(*plot.point(dot.x, dot.y), name=each.label, colour=system_colour(each.colour))
        for each, dot in ended
    ]
    return end_names(ends, LINE_PX, dx=10, fontWeight=600)


def _guides(plot: Plot, on: dict[str, Layer]) -> tuple[list[Layer], list[list[Point]]]:
    """Thin dotted lines as far as they run inside the plot, and where that is in pixels."""
    layers, lines = [], []
    first = min(dot.x for dot in _dots(plot.chart)) if plot.x.scale == "log" else plot.x.low
    for guide in plot.chart.guides:
        end = min(plot.x.high, plot.y.high / guide.slope) if guide.slope else plot.x.high
        steps = [first + (end - first) * step / GUIDE_STEPS for step in range(GUIDE_STEPS + 1)]
        points = [(x, guide.slope * x if guide.slope else guide.height) for x in steps]
        inside = [(x, y) for x, y in points if plot.y.low <= y <= plot.y.high]
        colour = MUTED if guide.colour is None else system_colour(guide.colour)
        rows: list[Row] = [{"x": x, "y": y} for x, y in inside]
        layers.append(layer(rows, "line", on, color=colour, strokeWidth=1.2, strokeDash=[2, 3], opacity=0.7))
        lines.append([plot.point(x, y) for x, y in inside])
    return layers, lines


def _words(plot: Plot, guided: Sequence[Sequence[Point]]) -> list[Layer]:
    """Names of points, `invalid` and names of guides, none of which covers another."""
    chart = plot.chart
    points = [plot.point(dot.x, dot.y) for each in chart.series if each.main for dot in each.dots]
    lines = [[plot.point(dot.x, dot.y) for dot in _through(each)] for each in chart.series]
    wanted = [
        (Wanted(note.text, [plot.point(note.x, note.y)]), _ink(note), 600)
        for note in shared(chart.notes, plot)
    ]
    wanted += [
        (Wanted("invalid", [plot.point(dot.x, dot.y) for dot in dots]), MARK_COLOURS["hollow"], 400)
        for each in chart.series
        if each.main
        for dots in _invalid(each)
    ]
    wanted += [
        (Wanted(guide.text, [line[len(line) * share // 10] for share in (9, 8, 7, 6, 5, 4)]), MUTED, 400)
        for guide, line in zip(chart.guides, guided, strict=True)
        if guide.text and line
    ]
    boxes = place([each for each, *_ in wanted], points, [*lines, *guided], plot.box)
    layers = []
    for (each, colour, weight), box in zip(wanted, boxes, strict=True):
        on = {"x": at(box.middle[0]), "y": at(box.middle[1])}
        style = {"align": "center", "baseline": "middle", "fontWeight": weight, "text": each.text}
        layers.append(layer([{}], "text", on, stroke=WHITE, strokeWidth=3.5, color=WHITE, **style))
        layers.append(layer([{}], "text", on, color=colour, **style))
    return layers


def _ink(note: Note) -> str:
    return INK if note.colour is None else system_colour(note.colour)


def shared(notes: Sequence[Note], plot: Plot) -> list[Note]:
    """One note for the same words about systems whose points would be under each other's labels."""
    kept: list[Note] = []
    for note in notes:
        for number, other in enumerate(kept):
            near = abs(plot.y.px(other.y) - plot.y.px(note.y)) < NEAR_NOTES_PX
            if other.x == note.x and other.text == note.text and near:
                kept[number] = replace(other, colour=None)
                break
        else:
            kept.append(note)
    return kept


def rings(notes: Sequence[Note], on: dict[str, Layer]) -> Layer:
    """A ring around each named point."""
    rows: list[Row] = [{"x": note.x, "y": note.y} for note in notes]
    return layer(rows, "point", on, size=190, color=INK, strokeWidth=1.3, opacity=1, filled=False)


def lines_spec(title: str, chart: Lines) -> Spec:
    """All of a chart, from the back to the front."""
    plot = Plot.of(chart)
    on = _channels(plot)
    layers, guided = _guides(plot, on)
    main = [series for series in chart.series if series.main]
    layers += [each for series in chart.series for each in _line(series, plot, on)]
    layers += [each for series in main for each in _points(series, on)]
    layers += [each for series in main for each in _runs(series, plot, on)]
    layers += [rings(chart.notes, on), *_end_labels(plot), *_words(plot, guided)]
    layers += [_reach(series, on) for series in chart.series]
    scale = " (log scale)" if chart.y.scale == "log" else ""
    return finish(
        [*layers, heading(f"{title}{scale}", left=LEFT - 8, above=14)],
        width=WIDTH,
        height=HEIGHT,
        right=WIDTH - LEFT - round(plot.x.length_px),
        top=MARGIN_TOP,
        bottom=MARGIN_BOTTOM,
    )
