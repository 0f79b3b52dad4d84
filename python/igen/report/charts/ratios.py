"""The forest plot: ratio to the base at each level with its interval, and the line at 1."""

from __future__ import annotations

from collections.abc import Callable

import altair as alt

from igen.analysis.result import Estimate, Ratio, Result
from igen.report.charts.panel import round_steps
from igen.report.charts.render import Picture, draw
from igen.report.charts.theme import GRID, INK, Row, blank, finish, heading, shorten
from igen.report.level import LoadAxis, colour_places
from igen.report.level_tables import one_base
from igen.report.number import ratio as ratio_text
from igen.report.number import ratio_interval
from igen.report.palette import system_colour

WIDTH = 560
ROW_PX = 30
MARGIN_TOP = 34
MARGIN_BOTTOM = 44
RIGHT_MARGIN = 216
"""Room for `1.078 (1.055 to 1.101) ~` beside each row, also in the larger letters of a narrow page."""
WIDE = 4.0
"""Ratios that span more than this have their ticks at 1, 2, 5, 10."""
CANNOT_TELL = "#8a94a0"


def _spans_one(estimate: Estimate) -> bool:
    return estimate.low is None or estimate.high is None or estimate.low <= 1 <= estimate.high


def _rows(result: Result, of: Callable[[Ratio], Estimate | None]) -> list[Row]:
    axis = LoadAxis.of(result)
    several = len(result.systems) > 2
    places = colour_places(result)
    tests = {system.name: system.test for system in result.systems}
    order = [*dict.fromkeys(tests.values())]
    found: list[Row] = []
    for ratio in sorted(
        result.ratios,
        key=lambda each: (
            order.index(tests.get(each.system, "")), axis.value(each), places.get(each.system, 0)
        ),
    ):  # fmt: skip
        estimate = of(ratio)
        if estimate is None:
            continue
        name = axis.name(ratio)
        told = ratio.verdict != "~" if estimate is ratio.throughput else not _spans_one(estimate)
        words = ratio_text(estimate)
        if estimate.low is not None:
            words += f"  ({ratio_interval(estimate)})"
        found.append(
            {
                "row": f"{shorten(ratio.system, 12)}, {name}" if several else name,
                "value": estimate.value,
                "low": estimate.low,
                "high": estimate.high,
                "words": words if told else f"{words}  ~",
                "colour": system_colour(places.get(ratio.system, 0)) if told else CANNOT_TELL,
                "tip": f"{ratio.system} over {ratio.base}, {name}: {words}",
            }
        )
    return found


def _forest(name: str, title: str, rows: list[Row], base: str | None) -> Picture:
    ends = [1.0, *(row[key] for row in rows for key in ("value", "low", "high") if row[key] is not None)]
    low, high = min(ends), max(ends)
    pad = (high / low) ** 0.06
    names = [row["row"] for row in rows]
    left = 20 + round(9 * max(len(each) for each in names))
    scale = alt.Scale(type="log", domain=[low / pad, high * pad], nice=False)
    wide = high / low > WIDE
    x_axis = alt.Axis(
        title=f"ratio{f' to {shorten(base)}' if base else ''} (log scale)",
        values=round_steps(low, high) if wide else alt.Undefined,
        tickCount=alt.Undefined if wide else 5,
        format="~r",
        grid=True,
        gridColor=GRID,
    )

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=scale, axis=x_axis)

    y = alt.Y("row:N", sort=names, axis=alt.Axis(title=None, labelColor=INK, labelLimit=200))
    tint = alt.Color("colour:N", scale=None)
    one = blank([{"one": 1}]).mark_rule(color=INK, strokeWidth=1.3, aria=False)
    layers = [
        heading(title, left=left - 8, above=14),
        one.encode(x("one")),
        blank([row for row in rows if row["low"] is not None])
        .mark_rule(strokeWidth=2.6, strokeCap="round", aria=False)
        .encode(x("low"), y, x2="high", color=tint),
        blank(rows).mark_point(filled=True, size=75, opacity=1, aria=False).encode(x("value"), y, color=tint),
        blank(rows)
        .mark_text(align="left", aria=False, color=INK)
        .encode(y=y, x=alt.value(WIDTH - left - RIGHT_MARGIN + 12), text="words:N"),
        blank(rows).mark_point(filled=True, size=500, opacity=0).encode(x("value"), y, description="tip:N"),
    ]
    chart = finish(
        layers,
        width=WIDTH,
        height=MARGIN_TOP + MARGIN_BOTTOM + ROW_PX * len(rows),
        left=left,
        right=RIGHT_MARGIN,
        top=MARGIN_TOP,
        bottom=MARGIN_BOTTOM,
    )
    return draw(name, f"{title}: {'; '.join(row['tip'] for row in rows)}.", chart)


def ratio_charts(result: Result) -> list[Picture]:
    """Ratio of throughput and of mean response time, a picture each; none without ratios."""
    kinds: tuple[tuple[str, str, Callable[[Ratio], Estimate | None]], ...] = (
        ("ratio-throughput", "Throughput ratio, right of 1 is faster", lambda ratio: ratio.throughput),
        (
            "ratio-response-time",
            "Response time ratio, left of 1 is faster",
            lambda ratio: ratio.response_time,
        ),
    )
    drawn = ((name, title, _rows(result, of)) for name, title, of in kinds)
    return [_forest(name, title, rows, one_base(result)) for name, title, rows in drawn if rows]
