"""The tornado: how far a figure moves with each input alone, the longest bar on top."""

from __future__ import annotations

from igen.document import Swings
from igen.report.charts.axes import Measure
from igen.report.charts.theme import (
    COLOUR,
    INK,
    WIDTH,
    Row,
    Spec,
    at,
    field,
    finish,
    heading,
    layer,
    width_px,
)
from igen.report.palette import system_colour

ROW_PX = 30
MARGIN_TOP, MARGIN_BOTTOM = 34, 44
MOST_NAME_PX = 230
PAD = 0.06
LOW, HIGH, GUESSED = system_colour(5), system_colour(0), "#8a94a0"


def swings_spec(title: str, chart: Swings) -> Spec:
    """A bar from the figure to each of its ends; grey where the input is a guess."""
    ends = [chart.value, *(end for bar in chart.bars for end in (bar.low, bar.high))]
    pad = PAD * ((max(ends) - min(ends)) or abs(chart.value) or 1.0)
    left = 20 + round(min(max(width_px(bar.name) for bar in chart.bars), MOST_NAME_PX))
    right = 16 + round(max(width_px(bar.words) for bar in chart.bars))
    plot = Measure(min(ends) - pad, max(ends) + pad, WIDTH - left - right)
    axis = plot.channel("value", title=chart.title, grid=True)
    names = [bar.name for bar in chart.bars]
    y = field(
        "row", "nominal", sort=names, axis={"title": None, "labelColor": INK, "labelLimit": MOST_NAME_PX}
    )
    rows: list[Row] = [
        {"row": bar.name, "value": chart.value, "end": end, "colour": colour if bar.told else GUESSED}
        for bar in chart.bars
        for end, colour in ((bar.low, LOW), (bar.high, HIGH))
    ]
    words: list[Row] = [{"row": bar.name, "words": bar.words} for bar in chart.bars]
    beside = {"y": y, "x": at(WIDTH - left - right + 12), "text": field("words", "nominal")}
    layers = [
        heading(title, left=left - 8, above=14),
        layer(rows, "bar", {"y": y, "x": axis, "x2": {"field": "end"}, "color": COLOUR}, height=14),
        layer([{"value": chart.value}], "rule", {"x": axis}, color=INK, strokeWidth=1.3),
        layer(words, "text", beside, align="left", color=INK),
    ]
    return finish(
        layers,
        width=WIDTH,
        height=MARGIN_TOP + MARGIN_BOTTOM + ROW_PX * len(chart.bars),
        left=left,
        right=right,
        top=MARGIN_TOP,
        bottom=MARGIN_BOTTOM,
    )
