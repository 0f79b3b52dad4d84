"""What a drawn chart shows: each element of its SVG with its words, its colours and its box."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree import ElementTree

from igen.report.draw.style import width_px

SVG = "{http://www.w3.org/2000/svg}"


class Shape(NamedTuple):
    """One element in pixels of the picture."""

    words: str
    fill: str
    stroke: str
    box: tuple[float, float, float, float]


def shapes(svg: str) -> list[Shape]:
    """Return all that is drawn, from the background to the front."""
    return list(_shapes(ElementTree.fromstring(svg), 0.0, 0.0))


def _shapes(element: ElementTree.Element, left: float, top: float) -> Iterator[Shape]:
    moved = re.search(r"translate\(([^,]+),([^)]+)\)", element.get("transform", ""))
    if moved:
        left, top = left + float(moved[1]), top + float(moved[2])
    corners = _corners(element)
    if corners:
        across, down = [x + left for x, _ in corners], [y + top for _, y in corners]
        words = (element.text or "").strip() if element.tag == f"{SVG}text" else ""
        box = (min(across), min(down), max(across), max(down))
        yield Shape(element.get("href") or words, _colour(element, "fill"), _colour(element, "stroke"), box)
    for child in element:
        yield from _shapes(child, left, top)


def _colour(element: ElementTree.Element, name: str) -> str:
    """Return the colour; none of an element that is there only to be pointed at."""
    return "none" if element.get("opacity") == "0" else element.get(name, "none")


def _corners(element: ElementTree.Element) -> list[tuple[float, float]]:
    def of(*names: str) -> list[float]:
        return [float(element.get(name, 0.0)) for name in names]

    kind = element.tag.removeprefix(SVG)
    if kind == "text":
        return _letters(element, *of("x", "y", "font-size"))
    if kind in ("rect", "image"):
        x, y, width, height = of("x", "y", "width", "height")
        return [(x, y), (x + width, y + height)]
    if kind == "circle":
        x, y, radius = of("cx", "cy", "r")
        return [(x - radius, y - radius), (x + radius, y + radius)]
    return _path(element.get("d", "")) if kind == "path" else []


def _letters(element: ElementTree.Element, x: float, y: float, size: float) -> list[tuple[float, float]]:
    """Return the corners of a text of mean letters, which are narrower than those that charts reckon with."""
    wide = 0.9 * width_px(element.text or "", size)
    left = {"start": 0.0, "middle": -wide / 2, "end": -wide}[element.get("text-anchor", "start")]
    low, high = 0.0, -0.7 * size
    if "rotate" in element.get("transform", ""):
        return [(high, left), (low, left + wide)]
    return [(x + left, y + high), (x + left + wide, y + low)]


def _path(steps: str) -> list[tuple[float, float]]:
    found, x, y = [], 0.0, 0.0
    for letter, rest in re.findall(r"([MLHVZ])([^MLHVZ]*)", steps):
        numbers = [float(each) for each in rest.split(",") if each]
        if letter in "ML":
            x, y = numbers
        elif letter == "H":
            (x,) = numbers
        elif letter == "V":
            (y,) = numbers
        found.append((x, y))
    return found
