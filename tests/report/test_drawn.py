"""Charts of every kind look as they did, and no words in them cover others or are cut off."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from igen.document import (
    Axis,
    Boxes,
    Cells,
    ChartLine,
    Dot,
    Forest,
    Lines,
    Picture,
    Racks,
    RatioRow,
    SwingBar,
    Swings,
)
from igen.report.draw import draw
from report import sample, snapshot
from report.shapes import Shape, shapes
from report.shown import pictures

RATIO = RatioRow("4 users", 1.076, 1.053, 1.098, [1.06, 1.09], "1.076 (1.053 to 1.098)", 1, True, "tip")
LONG_NAME = "params.demand_of_agents growth_per_year (guess)"
EARLY = [
    ChartLine(
        f"{number} servers, {ms} ms", number, [Dot(1, number), *([Dot(4, 3 * number)] if ms == 3 else [])]
    )
    for number in range(1, 6)
    for ms in (3, 6)
]
OTHERS = [
    Picture("early", "Throughput", "", Lines(Axis("users"), Axis(), EARLY)),
    Picture(
        "cells",
        "I/Os",
        "",
        Cells("depth", "block", ["1", "8"], ["4", "64"], [("4", "1", 3.0, "3"), ("64", "8", 9.0, "9")]),
    ),
    Picture(
        "racks", "racks", "", Racks(42, [Boxes("new", 50, 10, 4.0, 0), Boxes("old", 3, 21, 2.0, 1)], most=12)
    ),
    Picture(
        "swings",
        "today",
        "",
        Swings(
            "cost",
            100.0,
            [SwingBar(LONG_NAME, 90.0, 120.0, "90 to 120", told=False), SwingBar("fte", 99.0, 104.0, "x")],
        ),
    ),
    Picture("same-names", 9 * "Throughput over another ", "", Forest("", [RATIO] * 8)),
]


def every_kind() -> dict[str, Picture]:
    results = [sample.one_system(), sample.comparison(), sample.one_level()]
    shown = [each for result in results for found in pictures(result).values() for each in found]
    return {each.name: each for each in [*shown, *OTHERS]}


PICTURES = every_kind()
KEPT = (
    "throughput", "response-time", "ratio-throughput", "percentiles", "distribution",
    "timeline-1-0-throughput", "timeline-1-0-response-time", "cells", "racks", "swings", "same-names",
)  # fmt: skip


@pytest.mark.parametrize("name", KEPT)
def test_a_chart_looks_as_it_did(name: str) -> None:
    """Images in it are compressed, which differs from one library to the next."""
    assert {type(PICTURES[each].chart) for each in KEPT} == {type(each.chart) for each in PICTURES.values()}
    svg = re.sub(r'href="data:[^"]+"', 'href="data:"', draw(PICTURES[name]).svg)
    snapshot.check(f"{name}.svg", f"{svg}\n".replace("><", ">\n<"))


@pytest.mark.parametrize("name", PICTURES)
def test_no_words_cover_others_or_leave_the_picture(name: str) -> None:
    drawing = draw(PICTURES[name])
    words = [each for each in shapes(drawing.svg) if each.words and not each.words.startswith("data:")]
    for each in words:
        left, top, right, bottom = each.box
        assert 0 <= left < right <= drawing.width_px, each
        assert 0 <= top < bottom <= drawing.height_px, each
    for one, other in combinations(words, 2):
        assert not _meet(one, other), (one, other)


def _meet(one: Shape, other: Shape) -> bool:
    (left, top, right, bottom), (to_left, to_top, to_right, to_bottom) = one.box, other.box
    return left < to_right and to_left < right and top < to_bottom and to_top < bottom


def test_rows_with_the_same_name_have_a_row_each() -> None:
    """Eight systems stood on one row, which their common name was the key of."""
    rows = {each.box[1] for each in shapes(draw(PICTURES["same-names"]).svg) if each.words == RATIO.name}
    assert len(rows) == 8
