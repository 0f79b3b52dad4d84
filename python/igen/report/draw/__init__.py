"""Draws charts. Import it late, for the numbers that it loads; it alone imports what makes PNG of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b

import msgspec

from igen.document import Bars, Cells, Chart, Forest, Lines, Picture, Racks, Swings, Timeline
from igen.report.draw.bars import bars_chart
from igen.report.draw.cells import cells_chart
from igen.report.draw.chart import Chart as Laid
from igen.report.draw.drawing import Drawing
from igen.report.draw.lines import lines_chart
from igen.report.draw.racks import racks_chart
from igen.report.draw.rows import forest_chart, swings_chart
from igen.report.draw.timeline import timeline_chart

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
    return _laid(content.title, content.chart).drawing()


def _laid(title: str, chart: Chart) -> Laid:
    match chart:
        case Lines():
            return lines_chart(title, chart)
        case Forest():
            return forest_chart(title, chart)
        case Cells():
            return cells_chart(title, chart)
        case Bars():
            return bars_chart(title, chart)
        case Swings():
            return swings_chart(title, chart)
        case Racks():
            return racks_chart(title, chart)
        case Timeline():
            return timeline_chart(title, chart)
