"""A distribution: how many of all values fell between two others, with the values to point out."""

from __future__ import annotations

from igen.document import Bars
from igen.report.charts import axes
from igen.report.charts.axes import Measure
from igen.report.charts.labels import Box, Wanted, place
from igen.report.charts.lines import HEIGHT, LEAST_RIGHT, MARGIN_BOTTOM, MARGIN_TOP
from igen.report.charts.theme import INK, LEFT, WHITE, WIDTH, Row, Spec, at, field, finish, heading, layer
from igen.report.palette import system_colour


def bars_spec(title: str, chart: Bars) -> Spec:
    """Shares of all upward in percent, values to the right."""
    x = Measure(chart.low[0], chart.high[-1], WIDTH - LEFT - LEAST_RIGHT, chart.x.scale)
    top = 125 * max(chart.shares)  # room for words above all bars
    y = Measure(0.0, top, HEIGHT - MARGIN_TOP - MARGIN_BOTTOM, downward=True)
    rows: list[Row] = [
        {
            "x": low,
            "end": high,
            "y": 100 * share,
            "zero": 0,
            "tip": f"{axes.plain(low)} to {axes.plain(high)}",
        }
        for low, high, share in zip(chart.low, chart.high, chart.shares, strict=True)
        if share > 0
    ]
    scale = " (log scale)" if chart.x.scale == "log" else ""
    across = x.channel("x", title=chart.x.title + scale)
    upward = y.channel("y", grid=True)
    colour = system_colour(chart.colour)
    layers = [
        heading(title, left=LEFT - 8, above=14),
        layer(
            rows,
            "rect",
            {"x": across, "x2": {"field": "end"}, "y": upward, "y2": {"field": "zero"}},
            color=colour,
            opacity=0.75,
            stroke=WHITE,
            strokeWidth=0.6,
        ),
    ]
    marked = [(x.px(value), name) for value, name in chart.marks if x.low <= value <= x.high]
    wanted = [Wanted(name, [(at_px, 10.0), (at_px, 30.0), (at_px, 50.0)]) for at_px, name in marked]
    boxes = place(wanted, [], [], Box(0, 0, x.length_px, y.length_px))
    for (at_px, name), box in zip(marked, boxes, strict=True):
        rule = {"x": at(at_px), "y": at(box.bottom), "y2": at(y.length_px)}
        words = {"x": at(box.middle[0]), "y": at(box.middle[1])}
        layers.append(layer([{}], "rule", rule, color=INK, strokeWidth=1.1, strokeDash=[3, 2]))
        layers.append(layer([{}], "text", words, text=name, baseline="middle", fontWeight=600, color=INK))
    told = {"x": across, "y": upward, "description": field("tip", "nominal")}
    layers.append(layer(rows, "point", told, filled=True, size=300, opacity=0))
    return finish(
        layers,
        width=WIDTH,
        height=HEIGHT,
        left=LEFT,
        right=LEAST_RIGHT,
        top=MARGIN_TOP,
        bottom=MARGIN_BOTTOM,
    )
