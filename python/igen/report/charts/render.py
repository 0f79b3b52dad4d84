"""From a specification to SVG: as a file, inside a page, and in pixels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from igen.extras import PNG
from igen.report.charts.axis_marks import axes_of
from igen.report.charts.marks import marks_of
from igen.report.charts.scales import Plane
from igen.report.charts.svg import element
from igen.report.charts.theme import FONT, Spec

PNG_SCALE = 2.0
"""Pixels of the PNG for each pixel of the chart: sharp on a dense screen and on paper."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A drawn chart."""

    width_px: int
    height_px: int
    content: str
    """Elements, without a ground of their own."""
    ground: str
    """The colour behind them in a file."""

    @property
    def svg(self) -> str:
        """A file that needs nothing else."""
        ground = element("rect", width=self.width_px, height=self.height_px, fill=self.ground)
        return element(
            "svg",
            ground + self.content,
            xmlns="http://www.w3.org/2000/svg",
            width=self.width_px,
            height=self.height_px,
            viewBox=self._box,
            font_family=FONT,
        )

    def png(self) -> bytes:
        """The same in pixels."""
        return _png(self.svg)

    def inline(self, description: str) -> str:
        """An element of a page: scaling, described, on the page's ground and in its font."""
        return element("svg", self.content, viewBox=self._box, role="img", aria_label=description)

    @property
    def _box(self) -> str:
        return f"0 0 {self.width_px} {self.height_px}"


@lru_cache(maxsize=256)
def _png(svg: str) -> bytes:
    PNG.need("a picture as PNG")
    import vl_convert

    # What browsers call so has another name in SVG 1.1, the only one that the library knows.
    known = svg.replace('image-rendering="pixelated"', 'image-rendering="optimizeSpeed"')
    return bytes(vl_convert.svg_to_png(known, scale=PNG_SCALE))


def render(spec: Spec) -> Drawing:
    """Draws a specification of Vega-Lite: that part of it which the charts use.

    Vega itself would do the same in a browser's engine, which takes 100 MB of memory and a second to begin.
    """
    plane, padding = Plane.of(spec), spec["padding"]
    marks = [*axes_of(spec, plane), *(mark for each in spec["layer"] for mark in marks_of(each, plane))]
    place = f"translate({padding['left']},{padding['top']})"
    return Drawing(
        width_px=spec["width"] + padding["left"] + padding["right"],
        height_px=spec["height"] + padding["top"] + padding["bottom"],
        content=element("g", "".join(marks), fill="none", stroke_miterlimit=10, transform=place),
        ground=spec["background"],
    )
