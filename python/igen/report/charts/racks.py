"""Racks to scale: 19 inches wide with their frame, each rack unit 44.45 mm high."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from igen.document import Boxes, Racks
from igen.report.charts.theme import (
    COLOUR,
    FAINT,
    INK,
    MUTED,
    WIDTH,
    Row,
    Spec,
    field,
    finish,
    heading,
    layer,
    width_px,
)
from igen.report.palette import system_colour
from igen.units import counted

UNIT_MM, RACK_MM, INSIDE_MM = 44.45, 600.0, 482.6
PX_PER_MM = 0.075
GAP_PX = 8
A_ROW = 10
"""Racks beside each other."""
MOST_DRAWN = 44
LEFT, RIGHT, TOP, BOTTOM = 16, 16, 40, 30
LEGEND_PX = 22


def racks_spec(title: str, chart: Racks) -> Spec:
    """Rows of racks, filled from below; more than are drawn are counted in words."""
    filled = [*islice(_filled(chart), MOST_DRAWN)]
    used = sum(-(-boxes.count // boxes.per_rack) for boxes in chart.boxes)
    racks = max(used, min(chart.most, MOST_DRAWN))
    drawn = min(racks, MOST_DRAWN)
    width, height = RACK_MM * PX_PER_MM, chart.rack_units * UNIT_MM * PX_PER_MM
    frames: list[Row] = []
    machines: list[Row] = []
    for number in range(drawn):
        line, place = divmod(number, A_ROW)
        left, bottom = place * (width + GAP_PX), (line + 1) * height + line * GAP_PX
        frames.append({"x": left, "x2": left + width, "y": bottom - height, "y2": bottom})
        if number < len(filled):
            machines += _machines(filled[number], left + (width - INSIDE_MM * PX_PER_MM) / 2, bottom)
    lines = -(-drawn // A_ROW) or 1
    plot_height = lines * (height + GAP_PX)
    left_out = f"; {racks - drawn} more are not drawn" if racks > drawn else ""
    full_width = max(WIDTH, LEFT + RIGHT + round(width_px(title + left_out)))
    plot_width = full_width - LEFT - RIGHT
    legend = [*_legend(chart, plot_height)]
    total = round(TOP + plot_height + LEGEND_PX * len(legend) + BOTTOM)
    x = field("x", scale={"domain": [0, plot_width], "nice": False, "zero": False}, axis=None)
    y_scale = {"domain": [total - TOP - BOTTOM, 0], "nice": False, "zero": False}
    y = field("y", scale=y_scale, axis=None)
    box = {"x": x, "x2": {"field": "x2"}, "y": y, "y2": {"field": "y2"}}
    layers = [
        heading(f"{title}{left_out}", left=LEFT - 8, above=14),
        layer(frames, "rect", box, fill="none", stroke=MUTED, strokeWidth=1.4),
        layer(machines, "rect", {**box, "color": COLOUR}, stroke="#ffffff", strokeWidth=0.5),
        layer(
            legend,
            "point",
            {"x": x, "y": y, "color": COLOUR},
            shape="square",
            filled=True,
            size=110,
            opacity=1,
        ),
        layer(
            legend,
            "text",
            {"x": x, "y": y, "text": field("words", "nominal")},
            align="left",
            dx=12,
            baseline="middle",
            color=INK,
        ),
    ]
    if not machines:
        layers[1]["mark"]["stroke"] = FAINT
    return finish(
        layers,
        width=full_width,
        height=total,
        left=LEFT,
        right=RIGHT,
        top=TOP,
        bottom=BOTTOM,
    )


def _filled(chart: Racks) -> Iterator[tuple[Boxes, int]]:
    """What stands in each rack, and how many of it."""
    for boxes in chart.boxes:
        left = boxes.count
        while left > 0:
            yield boxes, min(left, boxes.per_rack)
            left -= boxes.per_rack


def _machines(rack: tuple[Boxes, int], x: float, bottom: float) -> Iterator[Row]:
    boxes, count = rack
    tall = boxes.units * UNIT_MM * PX_PER_MM
    for number in range(count):
        y2 = bottom - number * tall
        colour = system_colour(boxes.colour)
        yield {"x": x, "x2": x + INSIDE_MM * PX_PER_MM, "y": y2 - tall, "y2": y2, "colour": colour}


def _legend(chart: Racks, top: float) -> Iterator[Row]:
    for place, boxes in enumerate(chart.boxes):
        racks = -(-boxes.count // boxes.per_rack)
        where = counted(racks, "rack")
        words = f"{boxes.count:,} × {boxes.name}, {boxes.units:g} RU each, in {where}"
        y = top + LEGEND_PX * (place + 0.5)
        yield {"x": 8.0, "y": y, "words": words, "colour": system_colour(boxes.colour)}
