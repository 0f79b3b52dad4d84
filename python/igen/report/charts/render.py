"""From a chart to SVG and PNG without a browser, and to SVG that can stand inside a page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree import ElementTree

import altair as alt
import vl_convert

SVG = "http://www.w3.org/2000/svg"
XLINK_HREF = "{http://www.w3.org/1999/xlink}href"
PNG_SCALE = 2.0
"""Pixels of the PNG for each pixel of the chart: sharp on a dense screen and on paper."""


def _rounded(number: re.Match[str]) -> str:
    """One decimal: a tenth of a pixel."""
    return f"{float(number[0]):.1f}".removesuffix(".0")


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawn chart, its name for files and ids, and its description for those who cannot see it."""

    name: str
    description: str
    svg: str

    def png(self) -> bytes:
        """The same picture in pixels."""
        return bytes(vl_convert.svg_to_png(self.svg, scale=PNG_SCALE))

    def inline(self) -> str:
        """The picture as an element of a page: scaling, described, marks with their tooltips."""
        root = ElementTree.fromstring(self.svg)
        for element in root.iter():
            href = element.attrib.pop(XLINK_HREF, None)
            if href is not None:
                element.set("href", href)
            tip = element.attrib.pop("aria-label", None)
            if tip and element.get("aria-roledescription") == "point":
                title = ElementTree.SubElement(element, f"{{{SVG}}}title")
                title.text = tip
            for noise in ("role", "aria-roledescription", "aria-hidden", "font-family"):
                element.attrib.pop(noise, None)
            for name in ("d", "transform"):
                if name in element.attrib:
                    element.set(name, re.sub(r"\d+\.\d{2,}", _rounded, element.attrib[name]))
        root.attrib.pop("width")
        root.attrib.pop("height")
        root.set("role", "img")
        root.set("aria-label", self.description)
        ElementTree.register_namespace("", SVG)
        text = ElementTree.tostring(root, encoding="unicode").replace(f' xmlns="{SVG}"', "", 1)
        # Every picture of a page counts its clip paths from 1: their ids need the picture's name.
        return re.sub(r'(id="|url\(#)(clip\d+)', rf"\g<1>{self.name}-\g<2>", text)


def draw(name: str, description: str, chart: alt.TopLevelMixin) -> Picture:
    """Renders a chart."""
    return Picture(name, description, vl_convert.vegalite_to_svg(chart.to_dict()))
