"""Names of lines at their right ends, none of which stands on another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from igen.report.charts.theme import Layer, at, layer, spread


@dataclass(frozen=True, slots=True)
class End:
    """The right end of a line in pixels, its name and its colour."""

    x_px: float
    y_px: float
    name: str
    colour: str


def end_names(ends: Sequence[End], least_px: float, **style: Any) -> list[Layer]:
    """The names, at least so many pixels apart and none above the plot."""
    heights = spread([-end.y_px for end in ends], least_px, 0.0)
    return [
        layer(
            [{}],
            "text",
            {"x": at(end.x_px), "y": at(-height)},
            text=end.name,
            align="left",
            baseline="middle",
            color=end.colour,
            **style,
        )
        for end, height in zip(ends, heights, strict=True)
    ]
