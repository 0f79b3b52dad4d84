"""The forest plot: ratios below each other with their intervals, and the line at 1."""

from __future__ import annotations

from typing import Any

from igen.document import Forest
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
MARGIN_TOP = 34
MARGIN_BOTTOM = 44
MOST_NAME_PX = 170
MOST_SPAN = 20.0
"""An interval that goes beyond so many times the outermost ratio is cut at the edge of the plot."""
CANNOT_TELL = "#8a94a0"


def forest_spec(title: str, chart: Forest) -> Spec:
    """A row for each ratio, its words to the right; grey where nothing can be told."""
    values = [1.0, *(row.value for row in chart.rows)]
    low, high = min(values) / MOST_SPAN, max(values) * MOST_SPAN
    ends = [*values, *(end for row in chart.rows for end in (row.low, row.high) if end is not None)]
    ends = [min(max(end, low), high) for end in [*ends, *(run for row in chart.rows for run in row.runs)]]
    pad = (max(ends) / min(ends)) ** 0.06
    left = 20 + round(min(max(width_px(row.name) for row in chart.rows), MOST_NAME_PX))
    right = 16 + round(max(width_px(row.words) for row in chart.rows))
    plot = Measure(min(ends) / pad, max(ends) * pad, WIDTH - left - right, "log" if pad > 1 else "linear")
    axis = plot.channel("value", title="ratio (log scale)", grid=True)
    names = [row.name for row in chart.rows]
    y = field(
        "row", "nominal", sort=names, axis={"title": None, "labelColor": INK, "labelLimit": MOST_NAME_PX}
    )
    rows: list[Row] = [
        {
            "row": row.name,
            "value": row.value,
            "low": None if row.low is None else max(row.low, plot.low),
            "high": None if row.high is None else min(row.high, plot.high),
            "words": row.words,
            "colour": system_colour(row.colour) if row.told else CANNOT_TELL,
            "tip": row.tip,
        }
        for row in chart.rows
    ]
    known = [row for row in rows if row["low"] is not None]
    runs: list[Row] = [
        {"row": row.name, "value": min(max(run, plot.low), plot.high), "colour": drawn["colour"]}
        for row, drawn in zip(chart.rows, rows, strict=True)
        for run in row.runs
    ]
    on: dict[str, Any] = {"x": axis, "y": y, "color": COLOUR}
    layers = [
        heading(title, left=left - 8, above=14),
        layer([{"value": 1}], "rule", {"x": axis}, color=INK, strokeWidth=1.3),
        layer(known, "rule", {**on, "x": {**axis, "field": "low"}, "x2": {"field": "high"}}, strokeWidth=2.6),
        layer(runs, "point", on, filled=True, size=14, opacity=0.5, yOffset=7),
        layer(rows, "point", on, filled=True, size=75, opacity=1),
        layer(
            rows,
            "text",
            {"y": y, "x": at(WIDTH - left - right + 12), "text": field("words", "nominal")},
            align="left",
            color=INK,
        ),
        layer(
            rows,
            "point",
            {"x": axis, "y": y, "description": field("tip", "nominal")},
            filled=True,
            size=500,
            opacity=0,
        ),
    ]
    return finish(
        layers,
        width=WIDTH,
        height=MARGIN_TOP + MARGIN_BOTTOM + ROW_PX * len(rows),
        left=left,
        right=right,
        top=MARGIN_TOP,
        bottom=MARGIN_BOTTOM,
    )
