"""Heat maps over two settings: a cell for each pair, its figure in it, the darker the more."""

from __future__ import annotations

import math
from collections.abc import Iterator

from igen.document import Cells
from igen.report.draw.chart import Chart, Margins
from igen.report.draw.heat import DARK, LIGHT
from igen.report.draw.marks import Box, Mark, Rect, Words
from igen.report.draw.scale import Band
from igen.report.draw.style import BOTTOM, TOP, WIDTH, width_px

LEAST_CELL_PX, CELL_HEIGHT = 76.0, 30.0
MARGIN_RIGHT, LEAST_LEFT, MOST_NAME_PX = 20, 78, 170.0
TITLE_PX = 34
"""Left of the names of rows: the title of their axis, turned."""


def cells_chart(title: str, chart: Cells) -> Chart:
    """Return the cells, shaded on a logarithmic scale, as the title says."""
    names_px = min(max(map(width_px, chart.rows)), MOST_NAME_PX)
    left = max(LEAST_LEFT, TITLE_PX + round(names_px))
    longest_px = max(width_px(each) for each in [*chart.columns, *(text for *_, text in chart.values)])
    across = Band(
        len(chart.columns), len(chart.columns) * max(LEAST_CELL_PX, round(longest_px) + 8), padding=0.04
    )
    down = Band(len(chart.rows), CELL_HEIGHT * len(chart.rows), padding=0.06)
    # As wide as other pictures, or a page would enlarge the letters of a small one.
    width = max(WIDTH, left + across.length_px + MARGIN_RIGHT)
    return Chart(
        f"{title} (shades on a log scale)",
        TOP + BOTTOM + down.length_px,
        Margins(left, right=width - left - across.length_px),
        [*_cells(chart, across, down)],
        across.axis(chart.columns, across.length_px, chart.x_title),
        down.axis(chart.rows, MOST_NAME_PX, chart.y_title, lines=2),
        width,
    )


def _cells(chart: Cells, across: Band, down: Band) -> Iterator[Mark]:
    figures = [figure for _, _, figure, _ in chart.values]
    low, high = min(figures), max(figures)
    for row, column, figure, text in chart.values:
        x, y = chart.columns.index(column), chart.rows.index(row)
        (left, right), (top, bottom) = across.ends(x), down.ends(y)
        shade = _shade(math.log(figure / low) / math.log(high / low) if high > low else 0.0)
        tip = f"{chart.y_title} {row}, {chart.x_title} {column}: {text}"
        yield Rect(Box(left, top, right, bottom), shade, tip=tip)
        yield Words(text, (across.middle(x), down.middle(y)), anchor="middle")


def _shade(share: float) -> str:
    """Return a colour from the light to the dark end."""
    mixed = (round(light + share * (dark - light)) for light, dark in zip(LIGHT, DARK, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)
