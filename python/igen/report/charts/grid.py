"""Heat maps over two settings: a cell for each system, its figure in it, the darker the more."""

from __future__ import annotations

import math

import altair as alt

from igen.analysis.result import Result
from igen.report.charts.render import Picture, draw
from igen.report.charts.theme import INK, Row, blank, finish, heading
from igen.report.grid import Grid, setting_text
from igen.report.heatmap import DARK, LIGHT
from igen.report.number import significant

CELL_WIDTH, CELL_HEIGHT = 76, 30
MARGIN_TOP, MARGIN_BOTTOM, MARGIN_RIGHT = 34, 44, 20
LEFT = 78


def grid_charts(result: Result) -> list[Picture]:
    """A picture for each measure; none where the systems make no grid."""
    grid = Grid.of(result)
    if grid is None:
        return []
    pictures = []
    for number, (title, of) in enumerate(grid.measures(), start=1):
        values = {place: value for place, level in grid.cells.items() if (value := of(level))}
        if values:
            pictures.append(_heat(f"grid-{number}", title, grid, values))
    return pictures


def _heat(name: str, title: str, grid: Grid, values: dict[tuple[object, object], float]) -> Picture:
    low, high = min(values.values()), max(values.values())
    cells: list[Row] = []
    for (row, column), value in values.items():
        at = setting_text(grid.row_title, row), setting_text(grid.column_title, column)
        text = significant(value, 3)
        tip = f"{grid.row_title} {at[0]}, {grid.column_title} {at[1]}: {text}"
        shade = _colour(math.log(value / low) / math.log(high / low) if high > low else 0.0)
        cells.append({"row": at[0], "column": at[1], "text": text, "colour": shade, "tip": tip})
    x = alt.X(
        "column:N",
        sort=[setting_text(grid.column_title, value) for value in grid.columns],
        axis=alt.Axis(title=grid.column_title, labelAngle=0),
        scale=alt.Scale(padding=0.04),
    )
    y = alt.Y(
        "row:N",
        sort=[setting_text(grid.row_title, value) for value in grid.rows],
        axis=alt.Axis(title=grid.row_title),
        scale=alt.Scale(padding=0.06),
    )
    layers = [
        heading(f"{title} (shades on a log scale)", left=LEFT - 8, above=14),
        blank(cells).mark_rect(aria=False).encode(x, y, color=alt.Color("colour:N", scale=None)),
        blank(cells).mark_text(color=INK, aria=False).encode(x, y, text="text:N"),
        blank(cells).mark_point(filled=True, size=500, opacity=0).encode(x, y, description="tip:N"),
    ]
    chart = finish(
        layers,
        width=LEFT + MARGIN_RIGHT + CELL_WIDTH * len(grid.columns),
        height=MARGIN_TOP + MARGIN_BOTTOM + CELL_HEIGHT * len(grid.rows),
        left=LEFT,
        right=MARGIN_RIGHT,
        top=MARGIN_TOP,
        bottom=MARGIN_BOTTOM,
    )
    return draw(name, f"{title}: {'; '.join(cell['tip'] for cell in cells)}.", chart)


def _colour(share: float) -> str:
    """From the light to the dark end."""
    mixed = (round(light + share * (dark - light)) for light, dark in zip(LIGHT, DARK, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)
