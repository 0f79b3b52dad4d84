"""Heat maps over two settings: a cell for each pair, its figure in it, the darker the more."""

from __future__ import annotations

import math

from igen.document import Cells
from igen.report.charts.heatmap import DARK, LIGHT
from igen.report.charts.theme import COLOUR, INK, Row, Spec, field, finish, heading, layer, width_px

CELL_WIDTH, CELL_HEIGHT = 76, 30
MARGIN_TOP, MARGIN_BOTTOM, MARGIN_RIGHT = 34, 44, 20
LEFT = 78


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
    x = field(
        "column",
        "nominal",
        sort=list(chart.columns),
        axis={"title": chart.x_title, "labelAngle": 0},
        scale={"padding": 0.04},
    )
    y = field("row", "nominal", sort=list(chart.rows), axis={"title": chart.y_title}, scale={"padding": 0.06})
    on = {"x": x, "y": y}
    words = f"{title} (shades on a log scale)"
    width = LEFT + MARGIN_RIGHT + CELL_WIDTH * len(chart.columns)
    return finish(
        [
            heading(words, left=LEFT - 8, above=14),
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
        left=LEFT,
        right=max(MARGIN_RIGHT, MARGIN_RIGHT + round(8 + width_px(words)) - width),
        top=MARGIN_TOP,
        bottom=MARGIN_BOTTOM,
    )


def _shade(share: float) -> str:
    """From the light to the dark end."""
    mixed = (round(light + share * (dark - light)) for light, dark in zip(LIGHT, DARK, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)
