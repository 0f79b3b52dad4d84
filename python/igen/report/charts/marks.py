"""The marks of a layer as elements: what Vega-Lite calls so, as far as the charts use it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import pairwise

from igen.report.charts.scales import Names, Plane
from igen.report.charts.svg import Attribute, element, number, words
from igen.report.charts.theme import INK, LABEL_FONT_PX, Layer, Row

ANCHORS = {"left": "start", "center": "middle", "right": "end"}
LOWER = {"top": 0.79, "middle": 0.3, "bottom": -0.21}
"""From a place to the base line of words at it, as a share of the size of their letters."""
Point = tuple[float, float]


def marks_of(layer: Layer, plane: Plane) -> Iterator[str]:
    """A layer's elements; one without data has none."""
    yield from KINDS[layer["mark"]["type"]](layer, plane)


def _style(layer: Layer, row: Row) -> dict[str, Attribute]:
    """Colours and lines of a mark."""
    mark, colour = layer["mark"], layer["encoding"].get("color")
    own = row[colour["field"]] if colour else mark.get("color", INK)
    drawn_as_line = mark["type"] in ("line", "rule") or mark.get("filled") is False
    dash, opacity = mark.get("strokeDash"), mark.get("opacity")
    return {
        "fill": mark.get("fill", "none" if drawn_as_line else own),
        "stroke": mark.get("stroke", own if drawn_as_line else None),
        "stroke_width": mark.get("strokeWidth"),
        "stroke_dasharray": " ".join(map(str, dash)) if dash else None,
        "opacity": None if opacity in (None, 1) else f"{opacity:g}",
    }


def _tip(layer: Layer, row: Row) -> str:
    """What is shown where one points."""
    told = layer["encoding"].get("description")
    text = row[told["field"]] if told else ""
    return element("title", words(text)) if text else ""


def _ends(layer: Layer, plane: Plane, row: Row, along: str, whole_px: float) -> tuple[float, float]:
    """Where a mark begins and ends along x or y: at both channels, about the one, or over all of the plot."""
    on = layer["encoding"]
    first, second = plane.px(on.get(along), row, along), plane.px(on.get(f"{along}2"), row, along)
    if first is None:
        return 0.0, whole_px
    if second is not None:
        return min(first, second), max(first, second)
    scale = plane.x if along == "x" else plane.y
    wide = scale.stretch_px if isinstance(scale, Names) else 0.0
    if along == "y":
        wide = layer["mark"].get("height", wide)
    return first - wide / 2, first + wide / 2


def _rectangles(layer: Layer, plane: Plane) -> Iterator[str]:
    for row in layer["data"]["values"]:
        left, right = _ends(layer, plane, row, "x", plane.width_px)
        top, bottom = _ends(layer, plane, row, "y", plane.height_px)
        size = {"x": left, "y": top, "width": right - left, "height": bottom - top}
        yield element("rect", _tip(layer, row), **size, **_style(layer, row))


def _images(layer: Layer, plane: Plane) -> Iterator[str]:
    """Stretched, a pixel of theirs as a rectangle: as an attribute that also holds where no style may."""
    for row in layer["data"]["values"]:
        left, right = _ends(layer, plane, row, "x", plane.width_px)
        top, bottom = _ends(layer, plane, row, "y", plane.height_px)
        yield element(
            "image",
            x=left,
            y=top,
            width=right - left,
            height=bottom - top,
            preserveAspectRatio="none",
            image_rendering="pixelated",
            href=row[layer["encoding"]["url"]["field"]],
        )


def _rules(layer: Layer, plane: Plane) -> Iterator[str]:
    for row in layer["data"]["values"]:
        left, right = _rule_ends(layer, plane, row, "x", plane.width_px)
        top, bottom = _rule_ends(layer, plane, row, "y", plane.height_px)
        yield element("line", _tip(layer, row), x1=left, x2=right, y1=top, y2=bottom, **_style(layer, row))


def _rule_ends(layer: Layer, plane: Plane, row: Row, along: str, whole_px: float) -> tuple[float, float]:
    """A rule is thin: beside a name it stands in the middle."""
    on = layer["encoding"]
    if f"{along}2" in on or along not in on:
        return _ends(layer, plane, row, along, whole_px)
    at = plane.px(on[along], row, along) or 0.0
    return at, at


def _places(layer: Layer, plane: Plane) -> Iterator[tuple[Row, float, float]]:
    """The rows with a place of their own."""
    on = layer["encoding"]
    for row in layer["data"]["values"]:
        x, y = plane.px(on.get("x"), row, "x"), plane.px(on.get("y"), row, "y")
        if x is not None and y is not None:
            yield row, x, y + layer["mark"].get("yOffset", 0)


def _points(layer: Layer, plane: Plane) -> Iterator[str]:
    """Their size is an area, in square pixels."""
    shape, size = layer["mark"].get("shape", "circle"), layer["mark"]["size"]
    half = math.sqrt(size) / 2
    for row, x, y in _places(layer, plane):
        style, tip = _style(layer, row), _tip(layer, row)
        if shape == "circle":
            yield element("circle", tip, cx=x, cy=y, r=half, **style)
        elif shape == "square":
            yield element("rect", tip, x=x - half, y=y - half, width=2 * half, height=2 * half, **style)
        else:
            corners = [(x - half, y), (x, y - half), (x + half, y), (x, y + half)]
            yield element("path", tip, d=f"{_through(corners)}Z", **style)


def _lines(layer: Layer, plane: Plane) -> Iterator[str]:
    """A line for each value of `detail`, from the left to the right."""
    on = layer["encoding"]
    detail = on["detail"]["field"] if "detail" in on else None
    lines: dict[object, list[Point]] = {}
    for row, x, y in _places(layer, plane):
        lines.setdefault(row[detail] if detail else None, []).append((x, y))
    stepped = layer["mark"].get("interpolate") == "step-after"
    for points in lines.values():
        points.sort(key=lambda point: point[0])
        path = _steps(points) if stepped else _through(points)
        yield element("path", "", d=path, **_style(layer, {}))


def _areas(layer: Layer, plane: Plane) -> Iterator[str]:
    on = layer["encoding"]
    rows = sorted(_places(layer, plane), key=lambda place: place[1])
    upper = [(x, plane.px(on["y2"], row, "y") or 0.0) for row, x, _ in rows]
    lower = [(x, y) for _, x, y in reversed(rows)]
    if upper:
        yield element("path", "", d=f"{_through([*upper, *lower])}Z", **_style(layer, {}))


def _through(points: list[Point]) -> str:
    return "M" + "L".join(f"{number(x)},{number(y)}" for x, y in points)


def _steps(points: list[Point]) -> str:
    """Level until the next point."""
    (x, y), *_ = points
    moves = [f"H{number(to_x)}V{number(to_y)}" for _, (to_x, to_y) in pairwise(points)]
    return f"M{number(x)},{number(y)}{''.join(moves)}"


def _texts(layer: Layer, plane: Plane) -> Iterator[str]:
    mark, named = layer["mark"], layer["encoding"].get("text")
    size = mark.get("fontSize", LABEL_FONT_PX)
    lower = round(LOWER[mark.get("baseline", "middle")] * size)
    for row, x, y in _places(layer, plane):
        yield element(
            "text",
            words(row[named["field"]] if named else mark["text"]),
            x=x + mark.get("dx", 0),
            y=y + lower,
            text_anchor=ANCHORS[mark.get("align", "center")],
            font_size=size,
            font_weight=f"{mark['fontWeight']}" if "fontWeight" in mark else None,
            **_style(layer, row),
        )


KINDS: dict[str, Callable[[Layer, Plane], Iterator[str]]] = {
    "area": _areas,
    "bar": _rectangles,
    "image": _images,
    "line": _lines,
    "point": _points,
    "rect": _rectangles,
    "rule": _rules,
    "text": _texts,
}
"""THE list of them."""
