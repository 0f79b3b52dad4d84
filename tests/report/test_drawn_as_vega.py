"""What is drawn here stands where Vega itself puts it, of which the specifications are."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest
import vl_convert

from igen.document import Boxes, Cells, Picture, Racks, SwingBar, Swings
from igen.report import charts
from igen.report.charts.render import Drawing, render
from report import sample
from report.shown import pictures

SVG = "{http://www.w3.org/2000/svg}"
HREF = "{http://www.w3.org/1999/xlink}href"
NEAR_PX = 1.1
"""Half a pixel, by which Vega moves axes so that lines are sharp, half a one where it rounds, and a tenth."""
TITLE_NEAR_PX = 9.0
"""Vega sets the titles of axes by the width that it has measured of the labels."""
OTHERS = [
    Picture(
        "cells",
        "I/Os",
        "",
        Cells("depth", "block", ["1", "8"], ["4", "64"], [("4", "1", 3.0, "3"), ("64", "8", 9.0, "9")]),
    ),
    Picture(
        "racks", "racks", "", Racks(42, [Boxes("new", 50, 10, 4.0, 0), Boxes("old", 3, 21, 2.0, 1)], most=12)
    ),
    Picture(
        "swings",
        "today",
        "",
        Swings(
            "cost",
            100.0,
            [SwingBar("pue", 90.0, 120.0, "90 to 120", told=False), SwingBar("fte", 99.0, 104.0, "x")],
        ),
    ),
]


class Shape(NamedTuple):
    """What one element shows, and in which box of pixels."""

    words: str
    fill: str
    stroke: str
    box: tuple[float, float, float, float]


def shapes(svg: str) -> list[Shape]:
    """All that is drawn, from the background to the front."""
    return list(_shapes(ElementTree.fromstring(svg), 0.0, 0.0))


def _shapes(element: ElementTree.Element, left: float, top: float) -> Iterator[Shape]:
    if element.get("class") in ("background", "foreground"):
        return
    moved = re.search(r"translate\(([^,]+),([^)]+)\)", element.get("transform", ""))
    if moved:
        left, top = left + float(moved[1]), top + float(moved[2])
    corners = _corners(element)
    if corners:
        across, down = [x + left for x, _ in corners], [y + top for _, y in corners]
        words = (element.text or "").strip() if element.tag == f"{SVG}text" else ""
        shown = element.get("href") or element.get(HREF) or words
        box = (min(across), min(down), max(across), max(down))
        yield Shape(shown, _colour(element, "fill"), _colour(element, "stroke"), box)
    for child in element:
        yield from _shapes(child, left, top)


def _colour(element: ElementTree.Element, name: str) -> str:
    """None of what is there only to be pointed at."""
    return "none" if element.get("opacity") == "0" else element.get(name, "none")


def _corners(element: ElementTree.Element) -> list[tuple[float, float]]:
    def of(*names: str) -> list[float]:
        return [float(element.get(name, 0.0)) for name in names]

    kind = element.tag.removeprefix(SVG)
    if kind == "text":
        (x, y) = of("x", "y")
        return [(x, y)]
    if kind == "line":
        x1, y1, x2, y2 = of("x1", "y1", "x2", "y2")
        return [(x1, y1), (x2, y2)]
    if kind in ("rect", "image"):
        x, y, width, height = of("x", "y", "width", "height")
        return [(x, y), (x + width, y + height)]
    if kind == "circle":
        x, y, radius = of("cx", "cy", "r")
        return [(x - radius, y - radius), (x + radius, y + radius)]
    return _path(element.get("d", "")) if kind == "path" else []


def _path(steps: str) -> list[tuple[float, float]]:
    found, x, y = [], 0.0, 0.0
    for letter, rest in re.findall(r"([a-zA-Z])([^a-zA-Z]*)", steps):
        numbers = [float(each) for each in re.findall(r"-?[\d.]+(?:e-?\d+)?", rest)]
        if letter in "ML":
            x, y = numbers
        elif letter in "Hh":
            x = numbers[0] if letter == "H" else x + numbers[0]
        elif letter in "Vv":
            y = numbers[0] if letter == "V" else y + numbers[0]
        elif letter == "A":
            found += [(-numbers[0], -numbers[1]), (numbers[0], numbers[1])]
        found.append((x, y))
    return found


def vega(spec: dict[str, Any]) -> str:
    """What Vega makes of it: there labels of an axis are an expression."""
    known = copy.deepcopy(spec)
    for layer in known["layer"]:
        for channel in layer["encoding"].values():
            axis = channel.get("axis")
            if axis and "labels" in axis:
                labels, values = axis.pop("labels"), axis["values"]
                axis["labelExpr"] = f"{labels!r}[indexof({values!r}, datum.value)]"
                axis |= {"labelFlush": False, "titlePadding": 8}
    return str(vl_convert.vegalite_to_svg(known))


@pytest.fixture(scope="module")
def specs() -> list[dict[str, Any]]:
    """Specifications of charts of all kinds."""
    results = [sample.one_system(), sample.comparison(), sample.one_level()]
    shown = [each for result in results for found in pictures(result).values() for each in found]
    kept: list[dict[str, Any]] = []

    def keep(spec: dict[str, Any]) -> Drawing:
        kept.append(spec)
        return render(spec)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(charts, "render", keep)
        charts._drawn.cache_clear()
        for picture in [*shown, *OTHERS]:
            charts.draw(picture)
    return kept


def test_every_mark_stands_where_vega_puts_it(specs: list[dict[str, Any]]) -> None:
    kinds = {layer["mark"]["type"] for spec in specs for layer in spec["layer"]}
    assert kinds == {"area", "bar", "image", "line", "point", "rect", "rule", "text"}
    for spec in specs:
        titles = {
            layer["encoding"].get(along, {}).get("axis", {}).get("title")
            for layer in spec["layer"]
            for along in ("x", "y")
            if layer["encoding"].get(along, {}).get("axis")
        }
        left = shapes(vega(spec))
        for own in shapes(render(spec).svg):
            same = [each for each in left if each[:3] == own[:3] and _near(each, own, titles)]
            assert same, (own, [each for each in left if each[:3] == own[:3]])
            left.remove(same[0])
        assert left == []


def _near(one: Shape, other: Shape, titles: set[str | None]) -> bool:
    most = TITLE_NEAR_PX if one.words in titles else NEAR_PX
    return all(abs(a - b) <= most for a, b in zip(one.box, other.box, strict=True))
