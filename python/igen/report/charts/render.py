"""From a specification to SVG and PNG without a browser, and to SVG that can stand inside a page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from xml.etree import ElementTree

import vl_convert

from igen.report.charts.theme import Spec

SVG = "http://www.w3.org/2000/svg"
XLINK_HREF = "{http://www.w3.org/1999/xlink}href"
PNG_SCALE = 2.0
"""Pixels of the PNG for each pixel of the chart: sharp on a dense screen and on paper."""


def _rounded(number: re.Match[str]) -> str:
    """One decimal: a tenth of a pixel."""
    return f"{float(number[0]):.1f}".removesuffix(".0")


@dataclass(frozen=True, slots=True)
class Drawing:
    """A drawn chart."""

    svg: str

    def png(self) -> bytes:
        """The same in pixels."""
        return _png(self.svg)

    def inline(self, name: str, description: str) -> str:
        """The drawing as an element of a page: scaling, described, without a ground of its own.

        Marks have their tooltips. Each drawing counts its clip paths from 1: `name` keeps their ids apart.
        """
        root = ElementTree.fromstring(self.svg)
        for parent in root.iter():
            for child in list(parent):
                if child.get("class") == "background":
                    child.set("fill", "none")
                    child.attrib.pop("stroke", None)
        ground = next((child for child in root if child.tag == f"{{{SVG}}}rect"), None)
        if ground is not None:
            root.remove(ground)
        for element in root.iter():
            href = element.attrib.pop(XLINK_HREF, None)
            if href is not None:
                element.set("href", href)
            # As an attribute of its own it also holds where a page forbids styles in its text.
            if "image-rendering" in element.attrib.pop("style", ""):
                element.set("image-rendering", "pixelated")
            tip = element.attrib.pop("aria-label", None)
            if tip and element.get("aria-roledescription") == "point":
                title = ElementTree.SubElement(element, f"{{{SVG}}}title")
                title.text = tip
            for noise in ("role", "aria-roledescription", "aria-hidden", "font-family"):
                element.attrib.pop(noise, None)
            for key in ("d", "transform"):
                if key in element.attrib:
                    element.set(key, re.sub(r"\d+\.\d{2,}", _rounded, element.attrib[key]))
        root.attrib.pop("width")
        root.attrib.pop("height")
        root.set("role", "img")
        root.set("aria-label", description)
        ElementTree.register_namespace("", SVG)
        text = ElementTree.tostring(root, encoding="unicode").replace(f' xmlns="{SVG}"', "", 1)
        return re.sub(r'(id="|url\(#)(clip\d+)', rf"\g<1>{name}-\g<2>", text)


@lru_cache(maxsize=256)
def _png(svg: str) -> bytes:
    return bytes(vl_convert.svg_to_png(svg, scale=PNG_SCALE))


def render(spec: Spec) -> Drawing:
    """Draws a specification of Vega-Lite."""
    return Drawing(vl_convert.vegalite_to_svg(spec))
