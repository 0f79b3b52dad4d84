"""How every chart looks: fixed margins, quiet axes, one font. Charts are Vega-Lite, written as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

INK = "#1f2933"
MUTED = "#66727f"
FAINT = "#8895a5"
"""For what lies behind, with little opacity: it shows on paper and on a dark page."""
WIDTH, LEFT = 560, 58
"""Pixels of a picture, and of the room left of its plot: charts that stand below each other line up."""
GRID_OPACITY = 0.25
WARM_UP_OPACITY = 0.18
WHITE = "#ffffff"
PERCENTILE_COLOUR = "#D55E00"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
FONT_PX = 13
LABEL_FONT_PX = FONT_PX - 1
SIGN_PX = 0.56 * FONT_PX
"""Mean width of a sign, generous: fonts differ from one reader to the next."""

Row = dict[str, Any]
Layer = dict[str, Any]
Spec = dict[str, Any]


def layer(values: Sequence[Row], mark: str, encoding: dict[str, Any], **style: Any) -> Layer:
    """One kind of mark over its own data."""
    return {"data": {"values": list(values)}, "mark": {"type": mark, **style}, "encoding": encoding}


def field(name: str, kind: str = "quantitative", **more: Any) -> dict[str, Any]:
    """A channel that takes its values from a column of the data."""
    return {"field": name, "type": kind, **more}


def at(pixels: float) -> dict[str, Any]:
    """A channel with the same place, in pixels, for every row."""
    return {"value": pixels}


COLOUR = field("colour", "nominal", scale=None)
"""Takes the colours that the rows name."""


def heading(text: str, *, left: int, above: int) -> Layer:
    """The title of a picture, `left` pixels beside its plot and `above` pixels over it."""
    style = {"align": "left", "baseline": "bottom", "fontSize": FONT_PX, "fontWeight": 600, "color": INK}
    return layer([{}], "text", {"x": at(-left), "y": at(-above)}, text=text, **style)


def finish(
    layers: Sequence[Layer],
    *,
    width: int,
    height: int,
    right: int,
    top: int,
    bottom: int,
    left: int = LEFT,
) -> Spec:
    """One picture of `width` × `height` pixels with fixed margins, so that stacked pictures line up."""
    return {
        "layer": [each for each in layers if each["data"]["values"]],
        "width": width - left - right,
        "height": height - top - bottom,
        "padding": {"left": left, "right": right, "top": top, "bottom": bottom},
        "autosize": "none",
        "background": WHITE,
        "config": CONFIG,
    }


CONFIG: dict[str, Any] = {
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "labelFont": FONT,
        "titleFont": FONT,
        "labelFontSize": LABEL_FONT_PX,
        "titleFontSize": LABEL_FONT_PX,
        "titleFontWeight": "normal",
        "labelColor": MUTED,
        "titleColor": MUTED,
        "gridColor": FAINT,
        "gridOpacity": GRID_OPACITY,
        "domainColor": "#aab3bd",
        "tickColor": "#aab3bd",
        "tickSize": 4,
        "labelPadding": 4,
        "labelOverlap": False,
    },
    "axisY": {"domain": False, "ticks": False},
    "axisX": {"grid": False},
    "text": {"font": FONT, "fontSize": LABEL_FONT_PX, "color": INK},
}


def spread(positions: list[float], least: float, most: float) -> list[float]:
    """Moves labels apart until neighbours are `least` apart, in their order, none above `most`."""
    order = sorted(range(len(positions)), key=positions.__getitem__)
    moved = list(positions)
    for lower, upper in pairwise(order):
        moved[upper] = max(moved[upper], moved[lower] + least)
    ceiling = most
    for place in reversed(order):
        moved[place] = min(moved[place], ceiling)
        ceiling = moved[place] - least
    return moved


def width_px(text: str) -> float:
    """How wide a text is at most."""
    return SIGN_PX * len(text)
