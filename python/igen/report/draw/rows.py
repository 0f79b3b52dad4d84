"""Charts of rows below each other, each with its name, its marks and its words: ratios, and a tornado."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from igen.document import Forest, RatioRow, Swings
from igen.report.draw.chart import Chart, Margins
from igen.report.draw.marks import Box, Dot, Line, Mark, Rect, Words, reach
from igen.report.draw.scale import Band, Measure
from igen.report.draw.style import BOTTOM, INK, TOP, UNKNOWN, WIDTH, width_px
from igen.report.palette import system_colour

ROW_PX = 30.0
MOST_NAME_PX = 200.0
NAME_GAP_PX, WORDS_GAP_PX = 20.0, 12.0
MOST_SPAN = 20.0
"""An interval that goes beyond so many times the outermost ratio is cut at the edge of the plot."""
RUN_PX, RATIO_PX, RUNS_BELOW_PX = 1.9, 4.3, 7.0
BAR_PX = 14.0
PAD = 0.06
"""Room beside the outermost marks, as a share of what lies between them."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Names to the left, words to the right, and what room is left between them."""

    names: Sequence[str]
    words: Sequence[str]
    margins: Margins
    width_px: float
    band: Band

    @classmethod
    def of(cls, names: Sequence[str], words: Sequence[str]) -> Self:
        """Lay out rows by their longest name and their longest words."""
        left = NAME_GAP_PX + min(max(map(width_px, names)), MOST_NAME_PX)
        right = WORDS_GAP_PX + 4 + max(width_px(each) for each in words)
        band = Band(len(names), ROW_PX * len(names))
        return cls(names, words, Margins(left, right=right), WIDTH - left - right, band)

    def chart(self, title: str, axis_title: str, values: Measure, marks: Iterator[Mark]) -> Chart:
        """Return a chart of these rows over an axis of values."""
        beside = [
            Words(text, (self.width_px + WORDS_GAP_PX, self.band.middle(place)))
            for place, text in enumerate(self.words)
        ]
        names = self.band.axis(self.names, MOST_NAME_PX, lines=2, colour=INK)
        height = TOP + BOTTOM + self.band.length_px
        return Chart(
            title, height, self.margins, [*marks, *beside], values.axis(axis_title, grid=True), names
        )

    def upright(self, x: float) -> Line:
        """Return a line through all rows."""
        return Line([(x, 0.0), (x, self.band.length_px)], INK, 1.3)


def forest_chart(title: str, chart: Forest) -> Chart:
    """Return a row for each ratio, its words to the right; grey if nothing can be told."""
    values = [1.0, *(row.value for row in chart.rows)]
    low, high = min(values) / MOST_SPAN, max(values) * MOST_SPAN
    ends = [end for row in chart.rows for end in (row.low, row.high, *row.runs) if end is not None]
    ends = [min(max(end, low), high) for end in [*values, *ends]]
    pad = (max(ends) / min(ends)) ** PAD
    rows = Rows.of([row.name for row in chart.rows], [row.words for row in chart.rows])
    plot = Measure(min(ends) / pad, max(ends) * pad, rows.width_px, "log" if pad > 1 else "linear")

    def marks() -> Iterator[Mark]:
        yield rows.upright(plot.px(1.0))
        for place, row in enumerate(chart.rows):
            yield from _ratio(row, plot, rows.band.middle(place))

    return rows.chart(title, "ratio (log scale)", plot, marks())


def _ratio(row: RatioRow, plot: Measure, y: float) -> Iterator[Mark]:
    """Yield the interval, the runs below it and the ratio."""
    colour = system_colour(row.colour) if row.told else UNKNOWN

    def at(value: float) -> float:
        return plot.px(min(max(value, plot.low), plot.high))

    if row.low is not None and row.high is not None:
        yield Line([(at(row.low), y), (at(row.high), y)], colour, 2.6)
    for run in row.runs:
        yield Dot((at(run), y + RUNS_BELOW_PX), RUN_PX, colour, opacity=0.5)
    yield Dot((at(row.value), y), RATIO_PX, colour)
    yield reach((at(row.value), y), row.tip)


def swings_chart(title: str, chart: Swings) -> Chart:
    """Return a bar from the figure to each of its ends, the longest on top; grey if the input is a guess."""
    ends = [chart.value, *(end for bar in chart.bars for end in (bar.low, bar.high))]
    pad = PAD * ((max(ends) - min(ends)) or abs(chart.value) or 1.0)
    rows = Rows.of([bar.name for bar in chart.bars], [bar.words for bar in chart.bars])
    plot = Measure(min(ends) - pad, max(ends) + pad, rows.width_px)
    middle = plot.px(chart.value)

    def marks() -> Iterator[Mark]:
        for place, bar in enumerate(chart.bars):
            y = rows.band.middle(place)
            for end, colour in ((plot.px(bar.low), 5), (plot.px(bar.high), 0)):
                box = Box(min(middle, end), y - BAR_PX / 2, max(middle, end), y + BAR_PX / 2)
                yield Rect(box, system_colour(colour) if bar.told else UNKNOWN)
        yield rows.upright(middle)

    return rows.chart(title, chart.title, plot, marks())
