"""A curve over the load: line, band, points by verdict, tooltips, label at its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import altair as alt

from igen.analysis.result import Verdict
from igen.report.charts.panel import HEIGHT, MARGIN_BOTTOM, MARGIN_TOP, WIDTH, Panel
from igen.report.charts.theme import INK, MUTED, Row, blank, finish, heading
from igen.report.palette import VERDICT_COLOURS

NOTE_PX = 40
"""Notes of the same words nearer to each other than this share them."""
EDGE = 0.25
"""Share of the width in which a note is set towards the middle."""


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One level on a curve."""

    x: float
    y: float
    low: float | None
    high: float | None
    verdict: Verdict
    tip: str


@dataclass(frozen=True, slots=True)
class Curve:
    """One line with the label at its end; INVALID levels stand beside the line."""

    label: str
    colour: str
    points: list[CurvePoint]
    dash: tuple[int, ...] = ()
    main: bool = True
    """Whether its points and band are drawn."""

    def line(self) -> list[CurvePoint]:
        """The points that the line goes through."""
        return [point for point in self.points if point.verdict != "INVALID"]

    def scales(self) -> bool:
        """Whether an ideal line can be drawn from its lowest load."""
        line = self.line()
        return len(line) > 1 and line[0].x > 0 and line[0].y > 0


@dataclass(frozen=True, slots=True)
class Note:
    """Words at a place on the chart, with a ring around that place."""

    x: float
    y: float
    text: str
    above: bool


def merge_notes(notes: Sequence[Note], panel: Panel) -> list[Note]:
    """Notes of several systems that would cover each other keep their rings but share their words."""
    near = NOTE_PX / (HEIGHT - MARGIN_TOP - MARGIN_BOTTOM) * panel.top
    merged: list[Note] = []
    for note in notes:
        covered = any(
            other.x == note.x and other.text == note.text and abs(other.y - note.y) < near for other in merged
        )
        merged.append(replace(note, text="") if covered else note)
    return merged


def _row(point: CurvePoint, panel: Panel) -> Row:
    low = None if point.low is None else max(point.low, panel.bottom)
    return {"x": point.x, "y": point.y, "low": low, "high": point.high, "tip": point.tip}


def _line(curve: Curve, panel: Panel) -> list[alt.Chart]:
    values = [_row(point, panel) for point in curve.line()]
    banded = [row for row in values if row["low"] is not None]
    layers = []
    if curve.main:
        band = blank(banded).mark_area(color=curve.colour, opacity=0.16, aria=False, clip=True)
        layers.append(band.encode(panel.x(), panel.y("low"), y2="high"))
        whisker = blank(banded).mark_rule(
            color=curve.colour, opacity=0.55, strokeWidth=1.2, aria=False, clip=True
        )
        layers.append(whisker.encode(panel.x(), panel.y("low"), y2="high"))
    line = blank(values).mark_line(
        color=curve.colour,
        strokeWidth=2.4 if curve.main else 1.5,
        strokeDash=list(curve.dash) or alt.Undefined,
        aria=False,
        clip=True,
    )
    return [*layers, line.encode(panel.x(), panel.y())]


def _points(curve: Curve, panel: Panel) -> list[alt.Chart]:
    layers = []
    fills: dict[Verdict, str] = {"VALID": curve.colour, "SUSPECT": curve.colour, "INVALID": "#ffffff"}
    for verdict, fill in fills.items():
        values = [_row(point, panel) for point in curve.points if point.verdict == verdict]
        if not values:
            continue
        dots = blank(values).mark_point(
            shape="diamond" if verdict == "SUSPECT" else "circle",
            size=90 if verdict == "SUSPECT" else 60,
            fill=fill,
            stroke=curve.colour,
            strokeWidth=1.8,
            opacity=1,
            aria=False,
        )
        layers.append(dots.encode(panel.x(), panel.y()))
        if verdict == "INVALID":
            words = blank(values).mark_text(
                text="invalid", dy=17, color=VERDICT_COLOURS[verdict], fontSize=11, aria=False
            )
            layers.append(words.encode(panel.x(), panel.y()))
    reach = blank([_row(point, panel) for point in curve.points]).mark_point(size=500, opacity=0, filled=True)
    return [*layers, reach.encode(panel.x(), panel.y(), description="tip:N")]


def _labels(curves: Sequence[Curve], panel: Panel) -> list[alt.Chart]:
    ended = [(curve, curve.line()[-1]) for curve in curves if curve.label and curve.line()]
    heights = panel.spread_labels([end.y for _, end in ended])
    values = [
        {"x": end.x, "y": height, "label": curve.label, "colour": curve.colour}
        for (curve, end), height in zip(ended, heights, strict=True)
    ]
    words = blank(values).mark_text(align="left", dx=10, aria=False, fontWeight=600)
    return [words.encode(panel.x(), panel.y(), text="label:N", color=alt.Color("colour:N", scale=None))]


def _notes(notes: Sequence[Note], panel: Panel) -> list[alt.Chart]:
    values = [{"x": note.x, "y": note.y} for note in notes]
    ring = blank(values).mark_point(size=190, color=INK, strokeWidth=1.3, opacity=1, aria=False)
    layers = [ring.encode(panel.x(), panel.y())]
    for note in notes:
        place = panel.share(note.x)
        align: Literal["left", "center", "right"] = (
            "left" if place < EDGE else "right" if place > 1 - EDGE else "center"
        )
        dx = {"left": -8, "center": 0, "right": 8}[align]
        dy = -17 if note.above else 18
        at: list[Row] = [{"x": note.x, "y": note.y, "text": note.text}]
        words = blank(at).mark_text(align=align, dx=dx, dy=dy, aria=False, fontWeight=600)
        halo = blank(at).mark_text(
            align=align, dx=dx, dy=dy, aria=False, fontWeight=600, stroke="#ffffff", strokeWidth=4
        )
        layers += [layer.encode(panel.x(), panel.y(), text="text:N") for layer in (halo, words)]
    return layers


def ideal_line(
    panel: Panel, start: CurvePoint, colour: str, *, by_rate: bool, labelled: bool
) -> list[alt.Chart]:
    """Throughput that grows as the load does, from the lowest level on; for an open load the offered rate."""
    slope = 1.0 if by_rate else start.y / start.x
    last = min(panel.loads[-1], panel.top / slope)
    steps = [start.x * (last / start.x) ** (step / 40) for step in range(41)]
    values: list[Row] = [{"x": x, "y": slope * x} for x in steps]
    line = blank(values).mark_line(color=colour, strokeWidth=1.2, strokeDash=[2, 3], opacity=0.7, aria=False)
    if not labelled:
        return [line.encode(panel.x(), panel.y())]
    text = "offered" if by_rate else "ideal"
    word = blank(values[-1:]).mark_text(text=text, align="right", dx=-6, dy=6, color=MUTED, aria=False)
    return [line.encode(panel.x(), panel.y()), word.encode(panel.x(), panel.y())]


def limit_line(panel: Panel, limit_ms: float) -> list[alt.Chart]:
    """A response-time limit across the chart."""
    values: list[Row] = [{"x": load, "y": limit_ms} for load in (panel.loads[0], panel.loads[-1])]
    line = blank(values).mark_line(color=MUTED, strokeWidth=1.2, strokeDash=[2, 3], aria=False)
    word = blank(values[1:]).mark_text(text="limit", align="right", dy=-7, color=MUTED, aria=False)
    return [line.encode(panel.x(), panel.y()), word.encode(panel.x(), panel.y())]


def draw_panel(
    panel: Panel, curves: Sequence[Curve], notes: Sequence[Note] = (), below: Sequence[alt.Chart] = ()
) -> alt.LayerChart:
    """All curves of a panel, from the back to the front."""
    layers = list(below)
    layers += [layer for curve in curves for layer in _line(curve, panel)]
    layers += [layer for curve in curves if curve.main for layer in _points(curve, panel)]
    layers += _labels(curves, panel)
    layers += _notes(merge_notes(notes, panel), panel) if notes else []
    layers.append(heading(panel.title, left=50, above=14))
    return finish(
        layers,
        width=WIDTH,
        height=HEIGHT,
        right=panel.right_margin,
        top=MARGIN_TOP,
        bottom=MARGIN_BOTTOM,
    )
