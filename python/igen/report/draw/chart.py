"""A chart: its title, its axes and its marks, laid out as one picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from igen.report.draw.drawing import Drawing
from igen.report.draw.marks import Line, Mark, Words
from igen.report.draw.style import (
    AXIS,
    BOTTOM,
    FAINT,
    FONT_PX,
    GRID_OPACITY,
    LABEL_PX,
    LEFT,
    LINE_PX,
    MUTED,
    TOP,
    WIDTH,
    wrapped,
)

CRISP_PX = 0.5
"""A line of one pixel between two pixels would be a grey line of two."""
TICK_PX, LABEL_BELOW_PX, TITLE_BELOW_PX, LABEL_LEFT_PX = 4, 13, 32, 4
TITLE_LEFT_PX = 14
"""From the longest label beside an axis to the middle of its title."""
EDGE_PX = 8
"""From the edges of a picture to its title."""


class Margins(NamedTuple):
    """Pixels around a plot."""

    left: float = LEFT
    top: float = TOP
    right: float = 40
    bottom: float = BOTTOM


@dataclass(frozen=True, slots=True)
class Axis:
    """Ticks of an axis as pixels and labels, each label a line or several."""

    ticks: Sequence[tuple[float, Sequence[str]]]
    title: str = ""
    grid: bool = False
    colour: str = MUTED


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture of `width` × `height` pixels, or higher by the lines of a long title."""

    title: str
    height: float
    margins: Margins
    marks: Sequence[Mark]
    x: Axis | None = None
    y: Axis | None = None
    width: float = WIDTH
    title_above_px: float = 14
    """From the plot up to the base line of the title."""

    def drawing(self) -> Drawing:
        """Return the finished picture."""
        titles = wrapped(self.title, self.width - 2 * EDGE_PX, 3)
        left, top, *_ = self.margins
        more_px = LINE_PX * (len(titles) - 1)
        marks = [*self._grid(), *self._below(), *self._beside(), *self._titles(titles), *self.marks]
        return Drawing.of(marks, round(self.width), round(self.height + more_px), left, top + more_px)

    @property
    def plot(self) -> tuple[float, float]:
        """Width and height inside the margins."""
        left, top, right, bottom = self.margins
        return self.width - left - right, self.height - top - bottom

    def _titles(self, titles: Sequence[str]) -> Iterator[Mark]:
        x = EDGE_PX - self.margins.left
        for up, words in enumerate(reversed(titles)):
            y = -self.title_above_px - 7 - LINE_PX * up
            yield Words(words, (x, y), size=FONT_PX, weight=600)

    def _grid(self) -> Iterator[Mark]:
        width, height = self.plot
        for px, _ in self.x.ticks if self.x and self.x.grid else ():
            at = round(px) + CRISP_PX
            yield Line([(at, 0.0), (at, height)], FAINT, opacity=GRID_OPACITY)
        for px, _ in self.y.ticks if self.y and self.y.grid else ():
            at = round(px) + CRISP_PX
            yield Line([(0.0, at), (width, at)], FAINT, opacity=GRID_OPACITY)

    def _below(self) -> Iterator[Mark]:
        if self.x is None:
            return
        width, height = self.plot
        bottom = height + CRISP_PX
        yield Line([(0.0, bottom), (width, bottom)], AXIS)
        for px, lines in self.x.ticks:
            at = round(px) + CRISP_PX
            yield Line([(at, bottom), (at, bottom + TICK_PX)], AXIS)
            yield Words(lines[0], (at, bottom + LABEL_BELOW_PX), self.x.colour, "middle")
        if self.x.title:
            yield Words(self.x.title, (width / 2, bottom + TITLE_BELOW_PX), MUTED, "middle")

    def _beside(self) -> Iterator[Mark]:
        if self.y is None:
            return
        for px, lines in self.y.ticks:
            for place, words in enumerate(lines):
                y = px + CRISP_PX + (place - (len(lines) - 1) / 2) * (LABEL_PX + 1)
                yield Words(words, (-LABEL_LEFT_PX, y), self.y.colour, "end")
        if self.y.title:
            longest = max((len(words) for _, lines in self.y.ticks for words in lines), default=0)
            x = -LABEL_LEFT_PX - longest * LABEL_PX / 2 - TITLE_LEFT_PX
            yield Words(self.y.title, (x, self.plot[1] / 2), MUTED, "middle", turned=True)
