"""Heat maps over two settings: a cell for each pair, its figure in it, the darker the more."""

from __future__ import annotations

import math

from igen.document import Cells
from igen.report.charts.heatmap import DARK, LIGHT
from igen.report.charts.theme import (
    COLOUR,
    INK,
    WIDTH,
    Row,
    Spec,
    field,
    finish,
    heading,
    layer,
    width_px,
)

LEAST_CELL_WIDTH, CELL_HEIGHT = 76, 30
MARGIN_TOP, MARGIN_BOTTOM, MARGIN_RIGHT = 34, 44, 20
LEAST_LEFT, MOST_NAME_PX = 78, 170
TITLE_PX = 34
"""Left of the names of rows: the title of their axis, turned."""


def cells_spec(title: str, chart: Cells) -> Spec:
    """The shades are on a logarithmic scale, as the title says."""
    figures = [figure for _, _, figure, _ in chart.values]
    low, high = min(figures), max(figures)
    cells: list[Row] = [
        {
            "row": row,
            "column": column,
            "text": text,
            "colour": _shade(math.log(figure / low) / math.log(high / low) if high > low else 0.0),
            "tip": f"{chart.y_title} {row}, {chart.x_title} {column}: {text}",
        }
        for row, column, figure, text in chart.values
    ]
    names_px = min(max(width_px(name) for name in chart.rows), MOST_NAME_PX)
    left = max(LEAST_LEFT, TITLE_PX + round(names_px))
    longest_px = max(width_px(each) for each in [*chart.columns, *(text for *_, text in chart.values)])
    plot_width = len(chart.columns) * max(LEAST_CELL_WIDTH, round(longest_px) + 8)
    x = field(
        "column",
        "nominal",
        sort=list(chart.columns),
        axis={"title": chart.x_title, "labelAngle": 0},
        scale={"padding": 0.04},
    )
    beside = {"title": chart.y_title, "labelLimit": MOST_NAME_PX}
    y = field("row", "nominal", sort=list(chart.rows), axis=beside, scale={"padding": 0.06})
    on = {"x": x, "y": y}
    words = f"{title} (shades on a log scale)"
    # As wide as other pictures, or a page would enlarge the letters of a small one.
    width = max(WIDTH, left + plot_width + MARGIN_RIGHT, MARGIN_RIGHT + round(width_px(words)))
    return finish(
        [
            heading(words, left=left - 8, above=14),
            layer(cells, "rect", {**on, "color": COLOUR}),
            layer(cells, "text", {**on, "text": field("text", "nominal")}, color=INK),
            layer(
                cells,
                "point",
                {**on, "description": field("tip", "nominal")},
                filled=True,
                size=500,
                opacity=0,
            ),
        ],
        width=width,
        height=MARGIN_TOP + MARGIN_BOTTOM + CELL_HEIGHT * len(chart.rows),
        left=left,
        right=width - left - plot_width,
        top=MARGIN_TOP,
        bottom=MARGIN_BOTTOM,
    )


def _shade(share: float) -> str:
    """From the light to the dark end."""
    mixed = (round(light + share * (dark - light)) for light, dark in zip(LIGHT, DARK, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)
