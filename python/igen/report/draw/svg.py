"""Marks as SVG: escaped, and with numbers to a tenth of a pixel.

Format: https://www.w3.org/TR/SVG11/
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import pairwise

from igen.report.draw.marks import Area, Dot, Image, Line, Mark, Point, Rect, Words
from igen.report.draw.style import WHITE

Attribute = str | float | None
"""None is left out."""
BASE_LINE = 0.3
"""From the middle of letters to their base line, as a share of their size."""


def element(name: str, content: str = "", **attributes: Attribute) -> str:
    """Return an element; `content` is markup. An underscore in the name of an attribute is a hyphen."""
    written = "".join(
        f' {key.replace("_", "-")}="{escape(each) if isinstance(each, str) else number(each)}"'
        for key, each in attributes.items()
        if each is not None
    )
    return f"<{name}{written}>{content}</{name}>" if content else f"<{name}{written}/>"


def number(pixels: float) -> str:
    """Return `12.3`, or `12` for 12.0."""
    return f"{round(pixels, 1) + 0.0:.1f}".removesuffix(".0")


def markup(mark: Mark) -> str:
    """Return a mark as an element."""
    match mark:
        case Line():
            return element(
                "path",
                d=_steps(mark.points) if mark.stepped else _path(mark.points),
                stroke=mark.colour,
                stroke_width=mark.width,
                stroke_dasharray=" ".join(map(str, mark.dash)) or None,
                opacity=_opacity(mark.opacity),
            )
        case Area():
            return element(
                "path", d=f"{_path(mark.points)}Z", fill=mark.colour, opacity=_opacity(mark.opacity)
            )
        case Rect():
            box = mark.box
            size = {
                "x": box.left,
                "y": box.top,
                "width": box.right - box.left,
                "height": box.bottom - box.top,
            }
            return element("rect", _title(mark.tip), **size, **_ink(mark))
        case Dot():
            return _dot(mark)
        case Words():
            return _words(mark)
        case Image():
            # An attribute, which also holds if a page forbids styles.
            box = mark.box
            return element(
                "image",
                x=box.left,
                y=box.top,
                width=box.right - box.left,
                height=box.bottom - box.top,
                preserveAspectRatio="none",
                image_rendering="pixelated",
                href=mark.href,
            )


def _dot(dot: Dot) -> str:
    (x, y), r, tip = dot.at, dot.radius, _title(dot.tip)
    if dot.shape == "circle":
        return element("circle", tip, cx=x, cy=y, r=r, **_ink(dot))
    if dot.shape == "square":
        return element("rect", tip, x=x - r, y=y - r, width=2 * r, height=2 * r, **_ink(dot))
    return element("path", tip, d=f"{_path([(x - r, y), (x, y - r), (x + r, y), (x, y + r)])}Z", **_ink(dot))


def _words(words: Words) -> str:
    x, y = words.at
    lower = round(BASE_LINE * words.size)
    place: dict[str, Attribute] = {"x": x, "y": y + lower}
    if words.turned:
        place = {"transform": f"translate({number(x)},{number(y)}) rotate(-90)", "y": lower}
    halo: dict[str, Attribute] = {"stroke": WHITE, "stroke_width": 3.5, "paint_order": "stroke"}
    return element(
        "text",
        escape(words.text, quote=False),
        **place,
        text_anchor=words.anchor,
        font_size=words.size,
        font_weight=None if words.weight is None else str(words.weight),
        fill=words.colour,
        **(halo if words.halo else {}),
    )


def _ink(mark: Rect | Dot) -> dict[str, Attribute]:
    return {
        "fill": mark.fill if mark.fill != "none" else None,
        "stroke": mark.stroke,
        "stroke_width": mark.width,
        "opacity": _opacity(mark.opacity),
    }


def _opacity(share: float) -> str | None:
    return None if share == 1.0 else f"{share:g}"


def _title(tip: str) -> str:
    return element("title", escape(tip, quote=False)) if tip else ""


def _path(points: Sequence[Point]) -> str:
    return "M" + "L".join(f"{number(x)},{number(y)}" for x, y in points)


def _steps(points: Sequence[Point]) -> str:
    (x, y), *_ = points
    moves = [f"H{number(to_x)}V{number(to_y)}" for _, (to_x, to_y) in pairwise(points)]
    return f"M{number(x)},{number(y)}{''.join(moves)}"
