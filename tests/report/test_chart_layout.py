"""What stands where in a chart: nothing is cut off, stretched, or joined over what is not known."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import pytest

from igen.document import Boxes, Cells, Lines, Picture, Racks, Span, Timeline, Track
from igen.report.distribution import distribution_pictures
from igen.report.draw import draw
from igen.report.draw.racks import PX_PER_MM, RACK_MM
from igen.report.draw.style import MUTED, WIDTH, width_px
from igen.report.palette import MARK_COLOURS
from report import sample
from report.shapes import Shape, shapes

LONG = "a very long mix of transactions that goes on and on"


def drawn(chart: Cells | Racks | Timeline, title: str = "title") -> list[Shape]:
    return shapes(draw(Picture("name", title, "", chart)).svg)


def words_at(shown: list[Shape], words: str) -> tuple[float, float]:
    (found,) = (each.box for each in shown if each.words == words)
    return found[0], found[1]


def test_a_grid_has_room_for_its_names() -> None:
    columns, rows = ["read_committed", "serializable", "repeatable_read"], ["x", LONG]
    cells = Cells("isolation", "mix", columns, rows, [(row, at, 1.0, "1") for row in rows for at in columns])
    shown = drawn(cells)
    for one, other in pairwise(columns):
        between_px = words_at(shown, other)[0] - words_at(shown, one)[0]
        assert between_px >= (width_px(one) + width_px(other)) / 2
    first, second = (each for each in shown if len(each.words) > 5 and each.words.removesuffix("…") in LONG)
    assert LONG.startswith(f"{first.words} {second.words.removesuffix('…')}")
    assert second.words.endswith("…")
    title_px = words_at(shown, "mix")[0]
    assert 10 < title_px < first.box[0]


@pytest.mark.parametrize(("title", "lines"), [("MB/s", 1), (5 * "p99 response time, ms ", 2)])
def test_a_small_grid_is_as_wide_as_other_pictures_whatever_its_title(title: str, lines: int) -> None:
    cells = Cells("depth", "block", ["1", "8"], ["4"], [("4", "1", 3.0, "3"), ("4", "8", 9.0, "9")])
    drawing = draw(Picture("name", title, "", cells))
    assert drawing.width_px == WIDTH
    assert drawing.height_px == 34 + 30 + 44 + 15 * (lines - 1)
    sides = {round(each.box[2] - each.box[0]) for each in shapes(drawing.svg) if each.fill.startswith("#e6")}
    assert sides == {72}


def test_racks_keep_their_shape_beside_a_long_title() -> None:
    frames = [
        each
        for each in drawn(Racks(42, [Boxes("new", 50, 10, 4.0, 0)]), 20 * "a long title ")
        if each.stroke == MUTED
    ]
    assert len(frames) == 5
    for each in frames:
        assert each.box[2] - each.box[0] == pytest.approx(RACK_MM * PX_PER_MM, abs=0.11)


def track(number: int, p50_ms: list[float | None], mark: str = "filled") -> Track:
    spans = [
        Span(number * 10 + at, number * 10 + at + 1, True, 5.0, p50, p50, [[1.0, 5.0], [1.2, 5.0]])
        for at, p50 in enumerate(p50_ms)
    ]
    start = number * 10.0
    return Track(f"repeat {number}", mark, start, start, start + len(p50_ms), spans, "tip")  # type: ignore[arg-type]


def test_no_response_time_is_drawn_where_nothing_ended() -> None:
    chart = Timeline([track(0, [1.0, 1.1, None, 1.2, None, 1.0])], edges_ms=[1.0, 1.2])
    svg = draw(Picture("name", "title", "", chart)).svg
    paths = re.findall(r'<path d="([^"]+)" stroke="(?:#1f2933|#D55E00)"', svg)
    second_px = (WIDTH - 58 - 46) / 6
    reached = [[float(x) / second_px for x in re.findall(r"[ML](-?[\d.]+),", path)] for path in paths]
    assert len(reached) == 6, "p50 and p99, three stretches each"
    for found, known in zip(reached, 2 * [[0.5, 1.5], [3, 4], [5, 6]], strict=True):
        assert found == pytest.approx(known, abs=0.01)


def test_names_of_many_runs_do_not_touch_and_the_odd_one_keeps_its_own() -> None:
    tracks = [track(number, 9 * [1.0], "hollow" if number == 17 else "filled") for number in range(30)]
    shown = [each for each in drawn(Timeline(tracks)) if each.words.startswith("repeat")]
    assert 3 < len(shown) < 15
    for one, other in pairwise(sorted(shown, key=lambda each: each.box[0])):
        assert other.box[0] - one.box[0] >= width_px(one.words) * 11 / 13
    assert {each.fill for each in shown if each.words == "repeat 17"} == {MARK_COLOURS["hollow"]}


def test_times_below_what_can_be_told_are_drawn_at_zero() -> None:
    """A logarithmic axis has no place for them."""
    only = sample.one_level()
    (shop,) = only.systems
    (level,) = shop.levels
    assert level.response_time_ms is not None
    wide = replace(level.response_time_ms, p50=0.0, p999=1e4)
    percentiles, _ = distribution_pictures(
        replace(only, systems=[replace(shop, levels=[replace(level, response_time_ms=wide)])])
    )
    assert isinstance(percentiles.chart, Lines)
    assert percentiles.chart.y.scale == "linear"
    assert draw(percentiles).svg.count("<circle") > 5
