"""A distribution: how many of all values fell between two others, with the values to point out."""

from __future__ import annotations

from igen.document import Bars
from igen.report.draw.chart import Chart, Margins
from igen.report.draw.labels import Wanted, place
from igen.report.draw.lines import HEIGHT, LEAST_RIGHT
from igen.report.draw.marks import Box, Line, Mark, Rect, Words
from igen.report.draw.scale import Measure, plain
from igen.report.draw.style import BOTTOM, LEFT, TOP, WHITE, WIDTH
from igen.report.palette import system_colour
from igen.units import format_number

ROOM = 1.25
"""Height of the plot by its highest bar: for words above all bars."""

LEAST_PX = 1.5
"""Height of a bar of a few values: a tail that cannot be seen looks like an empty plot."""


def bars_chart(title: str, chart: Bars) -> Chart:
    """Return shares of all upward in percent, values to the right."""
    x = Measure(chart.low[0], chart.high[-1], WIDTH - LEFT - LEAST_RIGHT, chart.x.scale)
    y = Measure(0.0, 100 * ROOM * max(chart.shares), HEIGHT - TOP - BOTTOM, downward=True)
    bars = [each for each in zip(chart.low, chart.high, chart.shares, strict=True) if each[2] > 0]
    colour = system_colour(chart.colour)

    def height(share: float) -> float:
        return max(LEAST_PX, y.length_px - y.px(100 * share))

    drawn: list[Mark] = [
        Rect(
            Box(x.px(low), y.length_px - height(share), x.px(high), y.length_px),
            colour,
            WHITE,
            0.6,
            opacity=0.75,
        )
        for low, high, share in bars
    ]

    def tip(low: float, high: float, share: float) -> str:
        return f"{plain(low)} to {plain(high)}: {format_number(100 * share, 3)} %"

    marked = [(x.px(value), name) for value, name in chart.marks if x.low <= value <= x.high]
    wanted = [Wanted(name, [(at, 10.0), (at, 30.0), (at, 50.0)]) for at, name in marked]
    boxes = place(wanted, [], [], Box(0, 0, x.length_px, y.length_px))
    for (at, name), box in zip(marked, boxes, strict=True):
        drawn.append(Line([(at, box.bottom), (at, y.length_px)], width=1.1, dash=(3, 2)))
        drawn.append(Words(name, box.middle, anchor="middle", weight=600))
    drawn += [
        Rect(Box(x.px(low), 0.0, x.px(high), y.length_px), colour, opacity=0.0, tip=tip(low, high, share))
        for low, high, share in bars
    ]
    across = x.axis(f"{chart.x.title} (log scale)" if chart.x.scale == "log" else chart.x.title)
    return Chart(title, HEIGHT, Margins(right=LEAST_RIGHT), drawn, across, y.axis(grid=True))
