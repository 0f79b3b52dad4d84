"""Racks to scale: 19 inches wide with their frame, each rack unit 44.45 mm high."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from igen.document import Boxes, Racks
from igen.report.draw.chart import Chart, Margins
from igen.report.draw.marks import Box, Dot, Mark, Rect, Words
from igen.report.draw.style import FAINT, MUTED, WHITE
from igen.report.palette import system_colour
from igen.units import counted

UNIT_MM, RACK_MM, INSIDE_MM = 44.45, 600.0, 482.6
PX_PER_MM = 0.075
GAP_PX = 8
A_ROW = 10
"""Racks beside each other."""
MOST_DRAWN = 44
MARGINS = Margins(16, 40, 16, 30)
LEGEND_PX, SWATCH_PX = 22, 5.2


def racks_chart(title: str, chart: Racks) -> Chart:
    """Return rows of racks, filled from below; racks beyond the most that are drawn are counted in words."""
    filled = [*islice(_filled(chart), MOST_DRAWN)]
    racks = max(sum(map(_racks, chart.boxes)), min(chart.most, MOST_DRAWN))
    drawn = min(racks, MOST_DRAWN)
    width, height = RACK_MM * PX_PER_MM, chart.rack_units * UNIT_MM * PX_PER_MM
    marks: list[Mark] = []
    for number in range(drawn):
        line, place = divmod(number, A_ROW)
        left, bottom = place * (width + GAP_PX), (line + 1) * height + line * GAP_PX
        frame = Box(left, bottom - height, left + width, bottom)
        marks.append(Rect(frame, stroke=MUTED if filled else FAINT, width=1.4))
        if number < len(filled):
            marks += _machines(filled[number], left + (width - INSIDE_MM * PX_PER_MM) / 2, bottom)
    below = (-(-drawn // A_ROW) or 1) * (height + GAP_PX)
    for place, boxes in enumerate(chart.boxes):
        y = below + LEGEND_PX * (place + 0.5)
        words = (
            f"{boxes.count:,} × {boxes.name}, {boxes.units:g} RU each, in {counted(_racks(boxes), 'rack')}"
        )
        marks.append(Dot((8.0, y), SWATCH_PX, system_colour(boxes.colour), shape="square"))
        marks.append(Words(words, (20.0, y)))
    left_out = f"; {racks - drawn} more are not drawn" if racks > drawn else ""
    full = MARGINS.top + below + LEGEND_PX * len(chart.boxes) + MARGINS.bottom
    return Chart(f"{title}{left_out}", round(full), MARGINS, marks)


def _racks(boxes: Boxes) -> int:
    """Return how many racks the machines of a kind fill."""
    return -(-boxes.count // boxes.per_rack)


def _filled(chart: Racks) -> Iterator[tuple[Boxes, int]]:
    """Yield the kind of machine in each rack, and how many of it."""
    for boxes in chart.boxes:
        for left in range(boxes.count, 0, -boxes.per_rack):
            yield boxes, min(left, boxes.per_rack)


def _machines(rack: tuple[Boxes, int], left: float, bottom: float) -> Iterator[Mark]:
    boxes, count = rack
    tall, right = boxes.units * UNIT_MM * PX_PER_MM, left + INSIDE_MM * PX_PER_MM
    for number in range(count):
        box = Box(left, bottom - (number + 1) * tall, right, bottom - number * tall)
        yield Rect(box, system_colour(boxes.colour), WHITE, 0.5)
