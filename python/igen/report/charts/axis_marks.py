"""The axes of a plot as elements: grid, ticks, labels, title, where Vega puts them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from igen.report.charts.scales import Amounts, Names, Plane, shared
from igen.report.charts.svg import element, turned, words
from igen.report.charts.theme import CONFIG, LABEL_FONT_PX, Spec

CRISP_PX = 0.5
"""A line of one pixel between two pixels would be a grey one of two."""
LABEL_BELOW_PX, TITLE_BELOW_PX = 17, 36
"""Base lines of labels and title under an axis."""
LABEL_LEFT_PX, LABEL_LOWER_PX = 4, 4
"""From an axis to the end of the labels beside it, and from a tick to their base line."""
TITLE_LEFT_PX = 11
"""From the longest label beside an axis to the base line of its title."""
MEAN_SIGN_PX = 0.5 * LABEL_FONT_PX
MOST_LABEL_PX = 180.0

AXIS = CONFIG["axis"]


def axes_of(spec: Spec, plane: Plane) -> Iterator[str]:
    """Both axes; the grid of each lies under all labels."""
    found = [(along, shared(spec, along)) for along in ("x", "y")]
    shown = [(along, channel["axis"]) for along, channel in found if channel and channel.get("axis")]
    for along, axis in shown:
        yield from _grid(axis, plane, along)
    for along, axis in shown:
        yield from _below(axis, plane) if along == "x" else _beside(axis, plane)


def _ticks(axis: dict[str, Any], scale: Amounts | Names | None) -> list[tuple[float, str]]:
    """Pixels and label of each."""
    if isinstance(scale, Names):
        limit_px = axis.get("labelLimit", MOST_LABEL_PX)
        return [(scale.px(name), _cut(name, limit_px)) for name in scale.names]
    if scale is None:
        return []
    return [(scale.px(at), label) for at, label in zip(axis["values"], axis["labels"], strict=True)]


def _cut(name: str, limit_px: float) -> str:
    most = int(limit_px / MEAN_SIGN_PX)
    return name if len(name) <= most else f"{name[: most - 1]}…"


def _grid(axis: dict[str, Any], plane: Plane, along: str) -> Iterator[str]:
    if not axis.get("grid"):
        return
    style = {"stroke": AXIS["gridColor"], "stroke_opacity": f"{AXIS['gridOpacity']}"}
    for px, _ in _ticks(axis, plane.x if along == "x" else plane.y):
        at = round(px) + CRISP_PX
        if along == "x":
            yield element("line", x1=at, x2=at, y1=0.0, y2=plane.height_px, **style)
        else:
            yield element("line", x1=0.0, x2=plane.width_px, y1=at, y2=at, **style)


def _below(axis: dict[str, Any], plane: Plane) -> Iterator[str]:
    bottom = plane.height_px + CRISP_PX
    ticks = _ticks(axis, plane.x)
    for px, _ in ticks:
        at = round(px) + CRISP_PX
        yield element("line", x1=at, x2=at, y1=bottom, y2=bottom + AXIS["tickSize"], stroke=AXIS["tickColor"])
    yield element("line", x1=0.0, x2=plane.width_px, y1=bottom, y2=bottom, stroke=AXIS["domainColor"])
    for px, label in ticks:
        yield _label(label, axis, text_anchor="middle", x=px + CRISP_PX, y=bottom + LABEL_BELOW_PX)
    if axis["title"]:
        middle = plane.width_px / 2 + CRISP_PX
        yield _label(axis["title"], {}, text_anchor="middle", x=middle, y=bottom + TITLE_BELOW_PX)


def _beside(axis: dict[str, Any], plane: Plane) -> Iterator[str]:
    ticks = _ticks(axis, plane.y)
    for px, label in ticks:
        y = px + LABEL_LOWER_PX + CRISP_PX
        yield _label(label, axis, text_anchor="end", x=CRISP_PX - LABEL_LEFT_PX, y=y)
    if axis["title"]:
        longest_px = max((len(label) for _, label in ticks), default=0) * MEAN_SIGN_PX
        at = turned(-90, -LABEL_LEFT_PX - longest_px - TITLE_LEFT_PX, plane.height_px / 2)
        yield _label(axis["title"], {}, text_anchor="middle", transform=at)


def _label(text: str, axis: dict[str, Any], **place: str | float) -> str:
    colour = axis.get("labelColor", AXIS["labelColor"])
    return element("text", words(text), font_size=LABEL_FONT_PX, fill=colour, **place)
