"""Lines over an axis: lines with bands, points by verdict, single runs, named points, guides, tooltips."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from igen.document import Axis, ChartLine, Dash, Dot, Lines, Note
from igen.document import Mark as PointMark
from igen.printed import printed
from igen.report.draw import marks, scale
from igen.report.draw.chart import Chart, Margins
from igen.report.draw.labels import Wanted, end_names, place
from igen.report.draw.marks import Area, Box, Line, Mark, Point, Shape, Words, reach
from igen.report.draw.scale import Measure
from igen.report.draw.style import BOTTOM, INK, LEFT, MUTED, TOP, WHITE, WIDTH, width_px
from igen.report.palette import MARK_COLOURS, system_colour
from igen.units import format_bytes

HEIGHT = 340
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
DASHES: dict[Dash, Sequence[int]] = {"solid": (), "dashed": (6, 3), "dotted": (2, 2)}
SHAPES: dict[PointMark, tuple[Shape, float]] = {
    "filled": ("circle", 3.9), "diamond": ("diamond", 4.7), "hollow": ("circle", 3.9),
}  # fmt: skip
RUN_PX, RING_PX = 1.8, 6.9


@dataclass(frozen=True, slots=True)
class Plot:
    """A chart with its directions."""

    chart: Lines
    x: Measure
    y: Measure

    @classmethod
    def of(cls, chart: Lines) -> Plot:
        """Fit the axes to the data; linear axes begin at 0."""
        longest_px = max((width_px(each.label) for each in chart.series if each.label), default=0.0)
        right = max(LEAST_RIGHT, round(min(ROOMY * longest_px, MOST_LABEL_PX)) + 22)
        return cls(chart, _x_measure(chart, WIDTH - LEFT - right), _y_measure(chart, HEIGHT - TOP - BOTTOM))

    def at(self, x: float, y: float) -> Point:
        """Return the pixels of a value."""
        return self.x.px(x), self.y.px(y)

    @property
    def box(self) -> Box:
        """The plot's edges."""
        return Box(0, 0, self.x.length_px, self.y.length_px)


def _dots(chart: Lines) -> list[Dot]:
    return [dot for series in chart.series for dot in series.dots]


def _x_measure(chart: Lines, length: float) -> Measure:
    values = [dot.x for dot in _dots(chart)]
    low, high = min(values), max(values)
    if chart.x.scale == "log":
        return Measure(low / LOG_X_ROOM, high if high > low else high * LOG_X_ROOM, length, "log")
    return Measure(0.0, high or 1.0, length)


def _y_measure(chart: Lines, length: float) -> Measure:
    dots = _dots(chart)
    highest = max(dot.y for dot in dots)
    main = [dot for series in chart.series if series.main for dot in series.dots]
    ends = [end for dot in main for end in (dot.high, *dot.runs) if end is not None]
    top = min(max([highest, *ends]), MOST_OVER * highest) if highest > 0 else 1.0
    if chart.y.scale == "log":
        return Measure(min(dot.y for dot in dots if dot.y > 0) / 1.3, top * 1.3, length, "log", downward=True)
    return Measure(0.0, 1.12 * top, length, downward=True)


def _label(axis: Axis) -> Callable[[float], str]:
    if axis.unit == "bytes":
        return format_bytes
    return scale.percentile if axis.scale == "percentile" else scale.short


def _through(series: ChartLine) -> list[Dot]:
    """Return the dots that the line goes through; a hollow dot stands beside it."""
    return [dot for dot in series.dots if dot.mark != "hollow"]


def _invalid(series: ChartLine) -> list[list[Dot]]:
    """Return the stretches of hollow neighbours, the last dot of each first: one word stands for them."""
    stretches = groupby(series.dots, key=lambda dot: dot.mark == "hollow")
    return [[*dots][::-1] for is_invalid, dots in stretches if is_invalid]


def _line(series: ChartLine, plot: Plot) -> Iterator[Mark]:
    """Yield the band, the interval of each point, and the line."""
    colour, through = system_colour(series.colour), _through(series)
    spans = [
        (plot.x.px(dot.x), plot.y.px(max(dot.low, plot.y.low)), plot.y.px(min(dot.high, plot.y.high)))
        for dot in through
        if series.main and dot.low is not None and dot.high is not None
    ]
    if spans:
        upper, lower = [(x, high) for x, _, high in spans], [(x, low) for x, low, _ in reversed(spans)]
        yield Area([*upper, *lower], colour, opacity=0.16)
    for x, low, high in spans:
        yield Line([(x, low), (x, high)], colour, 1.2, opacity=0.55)
    if through:
        points = sorted(plot.at(dot.x, dot.y) for dot in through)
        yield Line(points, colour, 2.4 if series.main else 1.5, DASHES[series.dash])


def _points(series: ChartLine, plot: Plot) -> Iterator[Mark]:
    colour = system_colour(series.colour)
    for dot in series.dots:
        shape, radius = SHAPES[dot.mark]
        fill = WHITE if dot.mark == "hollow" else colour
        yield marks.Dot(plot.at(dot.x, dot.y), radius, fill, colour, 1.8, shape=shape)


def _runs(series: ChartLine, plot: Plot) -> Iterator[Mark]:
    """Yield a small dot for each run; none for a single run, which the point itself shows."""
    for dot in series.dots:
        for run in dot.runs if len(dot.runs) > 1 else ():
            if plot.y.low <= run <= plot.y.high:
                yield marks.Dot(plot.at(dot.x, run), RUN_PX, INK, opacity=0.75)


End = tuple[str, Point, str]
"""A line's name, its right end and its colour."""


def _ends(plot: Plot) -> tuple[list[End], list[End]]:
    """Return the ends of the lines that go furthest, whose names stand beside the plot, and of the others."""
    drawn = [(each, through) for each in plot.chart.series if (through := _through(each))]
    ends = [
        (each.label, plot.at(through[-1].x, through[-1].y), system_colour(each.colour))
        for each, through in drawn
        if each.label and (each.main or len(through) > 1)
    ]
    edge_px = max((x for _, (x, _), _ in ends), default=0.0)
    return [end for end in ends if end[1][0] == edge_px], [end for end in ends if end[1][0] < edge_px]


def _guides(plot: Plot) -> list[list[Point]]:
    """Return the guides in pixels, as far as they run inside the plot."""
    lines = []
    first = min(dot.x for dot in _dots(plot.chart)) if plot.x.scale == "log" else plot.x.low
    for guide in plot.chart.guides:
        end = min(plot.x.high, plot.y.high / guide.slope) if guide.slope else plot.x.high
        steps = [first + (end - first) * step / GUIDE_STEPS for step in range(GUIDE_STEPS + 1)]
        points = [(x, guide.slope * x if guide.slope else guide.height) for x in steps]
        lines.append([plot.at(x, y) for x, y in points if plot.y.low <= y <= plot.y.high])
    return lines


def _words(plot: Plot, guided: Sequence[Sequence[Point]]) -> list[Words]:
    """Return names of points, `invalid` and names of guides, none of which covers another."""
    chart = plot.chart
    points = [plot.at(dot.x, dot.y) for each in chart.series if each.main for dot in each.dots]
    lines = [[plot.at(dot.x, dot.y) for dot in _through(each)] for each in chart.series]
    invalid = [
        Note(dot.x, dot.y, "invalid") for each in chart.series if each.main for dot, *_ in _invalid(each)
    ]
    wanted = [
        (Wanted(note.text, [plot.at(note.x, note.y)]), _ink(note), 600) for note in shared(chart.notes, plot)
    ]
    wanted += [(Wanted(label, [end]), colour, 600) for label, end, colour in _ends(plot)[1]]
    wanted += [
        (Wanted(note.text, [plot.at(note.x, note.y)]), MARK_COLOURS["hollow"], 400)
        for note in shared(invalid, plot)
    ]
    wanted += [
        (Wanted(guide.text, [line[len(line) * share // 10] for share in (9, 8, 7, 6, 5, 4)]), MUTED, 400)
        for guide, line in zip(chart.guides, guided, strict=True)
        if guide.text and line
    ]
    boxes = place([each for each, *_ in wanted], points, [*lines, *guided], plot.box)
    return [
        Words(each.text, box.middle, colour, "middle", weight=weight, halo=True)
        for (each, colour, weight), box in zip(wanted, boxes, strict=True)
    ]


def _ink(note: Note) -> str:
    return INK if note.colour is None else system_colour(note.colour)


def shared(notes: Sequence[Note], plot: Plot) -> list[Note]:
    """Return one note for the same words about systems whose points would be under each other's labels."""
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


def lines_chart(title: str, chart: Lines) -> Chart:
    """Return all of a chart, from the back to the front."""
    plot = Plot.of(chart)
    main, guided = [series for series in chart.series if series.main], _guides(plot)
    colours = [MUTED if each.colour is None else system_colour(each.colour) for each in chart.guides]
    drawn: list[Mark] = [
        Line(line, colour, 1.2, (2, 3), opacity=0.7)
        for line, colour in zip(guided, colours, strict=True)
        if line
    ]
    for part, series in ((_line, chart.series), (_points, main), (_runs, main)):
        drawn += [mark for each in series for mark in part(each, plot)]
    drawn += [marks.Dot(plot.at(note.x, note.y), RING_PX, stroke=INK, width=1.3) for note in chart.notes]
    names = [(label, (x + 10, y), colour) for label, (x, y), colour in _ends(plot)[0]]
    drawn += [*end_names(names, weight=600), *_words(plot, guided)]
    drawn += [reach(plot.at(dot.x, dot.y), printed(dot.tip)) for dot in _dots(chart) if dot.tip]
    x, y = chart.x, chart.y
    x_title = f"{x.title} (log scale)" if x.scale == "log" else x.title
    return Chart(
        f"{title} (log scale)" if y.scale == "log" else title,
        HEIGHT,
        Margins(right=WIDTH - LEFT - plot.x.length_px),
        drawn,
        plot.x.axis(x_title, x.ticks, _label(x)),
        plot.y.axis("", y.ticks, _label(y), grid=True),
    )
