"""How every chart looks: fixed margins, quiet axes, one font."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, cast

import altair as alt

INK = "#1f2933"
MUTED = "#66727f"
GRID = "#e6e9ed"
WARM_UP = "#eceff3"
PERCENTILE_COLOUR = "#D55E00"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
FONT_PX = 13

Row = dict[str, Any]


def blank(values: list[Row]) -> alt.Chart:
    """A layer with its data, its mark still to be chosen."""
    return alt.Chart(alt.InlineData(values=values))


def heading(text: str, *, left: int, above: int) -> alt.Chart:
    """The title of a picture, `left` pixels beside its plot and `above` pixels over it."""
    words = blank([{}]).mark_text(
        text=text, align="left", baseline="bottom", fontSize=FONT_PX, fontWeight=600, aria=False
    )
    title: alt.Chart = words.encode(x=alt.value(-left), y=alt.value(-above))
    return title


def finish(
    layers: Sequence[alt.Chart],
    *,
    width: int,
    height: int,
    right: int,
    top: int,
    bottom: int,
    left: int = 58,
) -> alt.LayerChart:
    """One picture of `width` × `height` pixels with fixed margins, so that stacked pictures line up."""
    chart = cast(alt.LayerChart, alt.layer(*layers))
    styled: alt.LayerChart = (
        chart.properties(
            width=width - left - right,
            height=height - top - bottom,
            padding={"left": left, "right": right, "top": top, "bottom": bottom},
            autosize="none",
        )
        .configure(font=FONT, background="#ffffff")
        .configure_view(stroke=None)
        .configure_axis(
            labelFont=FONT,
            titleFont=FONT,
            labelFontSize=FONT_PX - 1,
            titleFontSize=FONT_PX - 1,
            titleFontWeight="normal",
            labelColor=MUTED,
            titleColor=MUTED,
            gridColor=GRID,
            domainColor="#aab3bd",
            tickColor="#aab3bd",
            tickSize=4,
            labelPadding=4,
        )
        .configure_axisY(domain=False, ticks=False)
        .configure_axisX(grid=False)
        .configure_text(font=FONT, fontSize=FONT_PX - 1, color=INK)
    )
    return styled


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


def shorten(name: str, most: int = 18) -> str:
    """A name short enough to stand beside a line."""
    return name if len(name) <= most else f"{name[: most - 1]}…"
