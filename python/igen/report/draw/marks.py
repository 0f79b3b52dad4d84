"""The marks of a chart, in pixels from the upper left corner of its plot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from igen.report.draw.style import INK, LABEL_PX

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]
Shape = Literal["circle", "square", "diamond"]
REACH_PX = 11.0
"""Radius of the disc around a point in which its tip is shown."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle."""

    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def around(cls, x: float, y: float, width: float, height: float) -> Box:
        """Return the box with its middle at `x` and `y`."""
        return cls(x - width / 2, y - height / 2, x + width / 2, y + height / 2)

    def overlap(self, other: Box) -> float:
        """Return the common area in square pixels."""
        wide = min(self.right, other.right) - max(self.left, other.left)
        high = min(self.bottom, other.bottom) - max(self.top, other.top)
        return wide * high if wide > 0 and high > 0 else 0.0

    @property
    def middle(self) -> Point:
        """The place at which its text is centred."""
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2


@dataclass(frozen=True, slots=True)
class Line:
    """A line through points, in their order."""

    points: Sequence[Point]
    colour: str = INK
    width: float = 1.0
    dash: Sequence[int] = ()
    opacity: float = 1.0
    stepped: bool = False
    """Level until the next point."""


@dataclass(frozen=True, slots=True)
class Area:
    """A filled polygon."""

    points: Sequence[Point]
    colour: str
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle, filled or not."""

    box: Box
    fill: str = "none"
    stroke: str | None = None
    width: float | None = None
    opacity: float = 1.0
    tip: str = ""
    """Shown when somebody points at it."""


@dataclass(frozen=True, slots=True)
class Dot:
    """A point with a shape."""

    at: Point
    radius: float
    fill: str = "none"
    stroke: str | None = None
    width: float | None = None
    opacity: float = 1.0
    shape: Shape = "circle"
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """A line of text; `at` is its middle in height, and the end that `anchor` names."""

    text: str
    at: Point
    colour: str = INK
    anchor: Anchor = "start"
    size: float = LABEL_PX
    weight: int | None = None
    halo: bool = False
    """A white edge, so that it can be read on lines."""
    turned: bool = False
    """Upward instead of to the right."""


@dataclass(frozen=True, slots=True)
class Image:
    """A picture stretched over a box, a pixel of it as a rectangle."""

    box: Box
    href: str


Mark = Line | Area | Rect | Dot | Words | Image


def reach(at: Point, tip: str) -> Dot:
    """Return an invisible disc that shows a text when somebody points at it."""
    return Dot(at, REACH_PX, INK, opacity=0.0, tip=tip)
