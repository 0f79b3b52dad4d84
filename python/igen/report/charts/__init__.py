"""Draws charts. Import it late, for the numbers that it loads; it alone imports what makes PNG of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b

import msgspec

from igen.document import Bars, Cells, Chart, Forest, Lines, Picture, Racks, Swings
from igen.report.charts.bars import bars_spec
from igen.report.charts.cells import cells_spec
from igen.report.charts.forest import forest_spec
from igen.report.charts.lines import lines_spec
from igen.report.charts.racks import racks_spec
from igen.report.charts.render import Drawing, render
from igen.report.charts.swings import swings_spec
from igen.report.charts.theme import Spec
from igen.report.charts.timeline import timeline_spec

__all__ = ["Drawing", "draw"]

MOST_KEPT = 1024
"""Drawings; about 10 kB each."""


@dataclass(frozen=True, slots=True)
class _Content:
    """A chart that equals another when it would be drawn alike."""

    digest: bytes
    title: str = field(compare=False)
    chart: Chart = field(compare=False)


def draw(picture: Picture) -> Drawing:
    """The picture's drawing. Charts of the same content are drawn once, whatever format asks for them."""
    kind = type(picture.chart).__name__
    content = msgspec.msgpack.encode((kind, picture.title, picture.chart))
    return _drawn(_Content(blake2b(content, digest_size=16).digest(), picture.title, picture.chart))


@lru_cache(maxsize=MOST_KEPT)
def _drawn(content: _Content) -> Drawing:
    return render(_spec(content.title, content.chart))


def _spec(title: str, chart: Chart) -> Spec:
    if isinstance(chart, Lines):
        return lines_spec(title, chart)
    if isinstance(chart, Forest):
        return forest_spec(title, chart)
    if isinstance(chart, Cells):
        return cells_spec(title, chart)
    if isinstance(chart, Bars):
        return bars_spec(title, chart)
    if isinstance(chart, Swings):
        return swings_spec(title, chart)
    if isinstance(chart, Racks):
        return racks_spec(title, chart)
    return timeline_spec(title, chart)
