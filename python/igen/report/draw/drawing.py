"""A finished picture: as a file, inside a page, and in pixels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from igen.extras import PNG
from igen.report.draw.marks import Mark
from igen.report.draw.style import FONT, WHITE
from igen.report.draw.svg import element, markup, number

PNG_SCALE = 2.0
"""Pixels of the PNG for each pixel of the chart: sharp on a dense screen and on paper."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A drawn chart."""

    width_px: int
    height_px: int
    content: str
    """Elements, without a ground behind them."""

    @classmethod
    def of(cls, marks: Iterable[Mark], width: int, height: int, left: float, top: float) -> Drawing:
        """Print marks whose plot begins at `left` and `top`."""
        place = f"translate({number(left)},{number(top)})"
        content = element(
            "g", "".join(map(markup, marks)), fill="none", stroke_miterlimit=10, transform=place
        )
        return cls(width, height, content)

    @property
    def svg(self) -> str:
        """A file that needs nothing else."""
        ground = element("rect", width=self.width_px, height=self.height_px, fill=WHITE)
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
        """Return the picture in pixels."""
        return _png(self.svg)

    def inline(self, description: str) -> str:
        """Return an element of a page: scaling, described, on the page's ground and in its font."""
        return element("svg", self.content, viewBox=self._box, role="img", aria_label=description)

    @property
    def _box(self) -> str:
        return f"0 0 {self.width_px} {self.height_px}"


@lru_cache(maxsize=256)
def _png(svg: str) -> bytes:
    PNG.need("a picture as PNG")
    import vl_convert

    # SVG 1.1, the only version that the library knows, has another name for it.
    known = svg.replace('image-rendering="pixelated"', 'image-rendering="optimizeSpeed"')
    return bytes(vl_convert.svg_to_png(known, scale=PNG_SCALE))
