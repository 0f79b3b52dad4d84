"""Pictures: heat maps as images, merged timelines, labels that do not overlap."""

from __future__ import annotations

import re
import struct
import zlib
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import igen
from igen.document import Axis, Bars, ChartLine, Dot, Lines, Note, Picture, Scale
from igen.judge import result_of
from igen.judge.result import Interval, Level
from igen.printed import printed
from igen.report.curves import load_pictures
from igen.report.draw import draw
from igen.report.draw.heat import SHADES, HeatGrid, png, shade
from igen.report.draw.labels import Wanted, place, spread
from igen.report.draw.lines import Plot, shared
from igen.report.draw.marks import Box
from igen.report.draw.scale import GAP_PX, Measure, even_steps, plain, round_steps
from igen.report.draw.style import LEFT, LINE_PX, WIDTH, width_px
from igen.report.timeline import COLUMNS_OF_REPORT, MOST_COLUMNS, columns_of_level, merged_intervals, tracks
from report import sample
from report.shown import pictures, terminal
from tests.judge import test_personas as personas


def decode(image: bytes) -> tuple[np.ndarray, bytes, bytes]:
    """Pixels, palette and transparency of an indexed PNG; fails on a wrong checksum."""
    assert image[:8] == b"\x89PNG\r\n\x1a\n"
    chunks: dict[bytes, bytes] = {}
    at = 8
    while at < len(image):
        (size,) = struct.unpack(">I", image[at : at + 4])
        kind, data = image[at + 4 : at + 8], image[at + 8 : at + 8 + size]
        assert struct.unpack(">I", image[at + 8 + size : at + 12 + size]) == (zlib.crc32(kind + data),)
        chunks[kind] = data
        at += 12 + size
    assert list(chunks) == [b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"]
    width, height, depth, colour, *rest = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert (depth, colour, rest) == (8, 3, [0, 0, 0])
    lines = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, width + 1)
    assert not lines[:, 0].any()
    return lines[:, 1:], chunks[b"PLTE"], chunks[b"tRNS"]


def test_png_holds_the_pixels_and_the_palette() -> None:
    image = png(np.array([[0, 1], [2, 1], [0, 0]], np.uint8), [(9, 8, 7), (1, 2, 3), (4, 5, 6)])
    pixels, palette, transparency = decode(image)
    assert pixels.tolist() == [[0, 1], [2, 1], [0, 0]]
    assert palette == bytes([9, 8, 7, 1, 2, 3, 4, 5, 6])
    assert transparency == b"\x00"


def test_no_count_is_transparent_and_the_most_is_darkest() -> None:
    pixels, palette, _ = decode(shade(np.array([[0.0, 1.0, 1000.0]]), 1000.0))
    assert pixels[0, 0] == 0
    assert 0 < pixels[0, 1] < pixels[0, 2] == SHADES
    assert len(palette) == 3 * (SHADES + 1)


BUCKETS = st.integers(0, 80).map(lambda step: 2.0 ** (step // 4) * (1 + step % 4 / 4))
"""Upper edges, four to a doubling."""
HEATS = st.lists(st.dictionaries(BUCKETS, st.integers(1, 10**6), max_size=20), min_size=1, max_size=8)


@given(HEATS.filter(any))
def test_the_grid_keeps_every_count_in_its_own_row(heats: list[dict[float, int]]) -> None:
    pairs = [[[edge, float(count)] for edge, count in heat.items()] for heat in heats]
    edges = sorted({edge for heat in heats for edge in heat})
    grid = HeatGrid.over(edges)
    counts = grid.counts(pairs)
    assert grid.top_ms == max(edge for heat in heats for edge in heat)
    for column, heat in enumerate(heats):
        found = {edge: count for edge, count in zip(grid.edges_ms, counts[:, column], strict=True) if count}
        assert found == heat


def test_buckets_without_a_gap_fill_the_picture_and_a_gap_stays_empty() -> None:
    edges = [2.0**doubling * (1 + quarter / 4) for doubling in range(4) for quarter in range(4)]
    full = [[edge, 1.0] for edge in edges]
    grid = HeatGrid.over(edges)
    assert grid.pixels(grid.counts([full])).all()
    holed = [pair for pair in full if not 3 < pair[0] < 8]
    assert not grid.pixels(grid.counts([holed])).all()
    far = HeatGrid.over([1.0, 1000.0])
    pixels = far.pixels(far.counts([[[1.0, 5.0], [1000.0, 7.0]]]))[:, 0]
    assert pixels[0] == 7.0
    assert pixels[-1] == 5.0
    assert (pixels == 0).mean() > 0.9
    assert far.bottom_ms == pytest.approx(0.8)


def long_level(intervals: int) -> Level:
    first = sample.one_system().systems[0].levels[0]
    timeline = [
        Interval(
            start_s=float(second),
            throughput_per_s=100.0 + second % 2,
            response_p50_ms=1.0,
            response_p99_ms=float(second),
            measured=True,
            heat=[(1.0, 1.0)],
        )
        for second in range(intervals)
    ]
    return replace(first, repeats=[replace(repeat, timeline=timeline) for repeat in first.repeats[:2]])


@pytest.mark.parametrize("intervals", [1, 2, 120, 121, 1000, 3601])
def test_long_timelines_are_merged_without_losing_anything(intervals: int) -> None:
    level = long_level(intervals)
    shown = tracks(level, MOST_COLUMNS)
    assert sum(len(track.spans) for track in shown) <= MOST_COLUMNS
    for track, repeat in zip(shown, level.repeats, strict=True):
        done = sum(span.per_s * (span.end_s - span.start_s) for span in track.spans)
        assert done == pytest.approx(sum(interval.throughput_per_s for interval in repeat.timeline))
        assert max(span.p99_ms or 0 for span in track.spans) == intervals - 1
        assert sum(count for span in track.spans for _, count in span.heat) == intervals
        assert track.spans[-1].end_s == pytest.approx(track.end_s)
        assert track.end_s - track.start_s == pytest.approx(intervals)
    only = sample.one_system()
    only = replace(only, systems=[replace(only.systems[0], levels=[level])])
    assert (merged_intervals(only) > 1) == (2 * intervals > MOST_COLUMNS)
    assert shown[0].end_s < shown[1].start_s


def test_many_levels_share_the_columns() -> None:
    result = sample.one_system()
    levels = result.systems[0].levels * 25
    many = replace(result, systems=[replace(result.systems[0], levels=levels)])
    assert columns_of_level(result) == MOST_COLUMNS
    assert columns_of_level(many) * len(levels) <= COLUMNS_OF_REPORT


@given(st.lists(st.floats(-1e6, 1e6), max_size=20), st.floats(0.1, 1e3))
def test_labels_move_apart_in_their_order_below_the_ceiling(positions: list[float], least: float) -> None:
    most = max(positions, default=0.0)
    moved = spread(positions, least, most)
    assert all(after <= most for after in moved)
    ordered = sorted(moved)
    assert all(b - a >= least * (1 - 1e-6) - 1e-6 for a, b in pairwise(ordered))
    assert [p for _, p in sorted(zip(moved, positions, strict=True))] == sorted(positions)


@pytest.mark.parametrize(
    ("bottom", "top", "steps"),
    [
        (0.1, 12.0, [0.1, 0.2, 0.5, 1, 2, 5, 10]),
        (0.3, 1.0, [0.3, 0.5, 0.7, 1]),
        (4.8, 41.0, [5, 7, 10, 15, 20, 30]),
        (0.93, 1.6, [1.0, 1.2, 1.4, 1.6]),
        (0.001, 150.0, [0.001, 0.01, 0.1, 1, 10, 100]),
    ],
)
def test_round_steps(bottom: float, top: float, steps: list[float]) -> None:
    assert round_steps(bottom, top) == pytest.approx(steps)


@pytest.mark.parametrize(
    ("bottom", "top", "steps"),
    [
        (0.0, 10_500.0, [0, 2000, 4000, 6000, 8000, 10_000]),
        (0.0, 0.34, [0, 0.1, 0.2, 0.3]),
        (0.93, 1.1, [0.95, 1.0, 1.05, 1.1]),
        (5.0, 5.0, [5.0]),
    ],
)
def test_even_steps(bottom: float, top: float, steps: list[float]) -> None:
    assert even_steps(bottom, top) == pytest.approx(steps)


@given(
    st.lists(st.floats(0.001, 1e6), min_size=1, max_size=30, unique=True),
    st.sampled_from(["linear", "log"]),
    st.floats(30, 500),
)
def test_labels_of_an_axis_never_touch(ticks: list[float], scale: Scale, length: float) -> None:
    measure = Measure(min(ticks), max(ticks) * 1.01, length, scale)
    kept = measure.thinned(ticks, plain)
    assert set(kept) <= set(ticks)
    for one, other in pairwise(kept):
        room = (width_px(plain(one)) + width_px(plain(other))) / 2 + GAP_PX
        assert measure.px(other) - measure.px(one) >= room - 1e-6


def test_loads_that_lie_close_do_not_collide_on_their_axis() -> None:
    measure = Measure(0.15, 60.0, 90.0, "log")
    kept = measure.thinned([0.2, 0.5, 1, 2, 5, 10, 20, 50], plain)
    assert kept == [0.2, 1, 10, 50]


POINTS = st.tuples(st.floats(0, 480), st.floats(0, 260))


@given(st.lists(POINTS, min_size=1, max_size=5))
def test_names_of_points_never_cover_each_other(points: list[tuple[float, float]]) -> None:
    names = ["peak", "sweet spot", "knee", "invalid", "within limit"]
    wanted = [Wanted(name, [point]) for name, point in zip(names, points, strict=False)]
    boxes = place(wanted, points, [points], Box(0, 0, 480, 260))
    for first, one in enumerate(boxes):
        assert all(one.overlap(other) == 0 for other in boxes[first + 1 :])


def test_peak_sweet_spot_knee_and_ideal_at_one_place_stay_apart() -> None:
    point = (120.0, 40.0)
    names = ["peak", "sweet spot", "knee", "invalid"]
    wanted = [*(Wanted(name, [point]) for name in names), Wanted("ideal", [(115.0, 30.0), (90.0, 90.0)])]
    boxes = place(wanted, [point], [[(0.0, 260.0), point, (480.0, 60.0)]], Box(0, 0, 480, 260))
    for first, one in enumerate(boxes):
        assert all(one.overlap(other) == 0 for other in boxes[first + 1 :])
        assert one.overlap(Box.around(*point, 4, 4)) == 0
        assert one.left >= 0 <= one.top
        assert one.bottom - one.top == LINE_PX


def test_systems_that_share_a_place_share_the_words_for_it() -> None:
    (throughput, _) = pictures(sample.comparison())["scaling"]
    assert isinstance(throughput.chart, Lines)
    plot = Plot.of(throughput.chart)
    notes = [
        Note(2, 9000, "peak", 0),
        Note(2, 9100, "peak", 1),
        Note(2, 100, "peak", 2),
        Note(1, 9000, "peak", 3),
    ]
    assert [(note.y, note.colour) for note in shared(notes, plot)] == [(9000, None), (100, 2), (9000, 3)]


def test_wide_loads_are_drawn_on_a_logarithmic_axis() -> None:
    for last, scale in ((16, "linear"), (32, "log")):
        result = sample.one_system()
        (system,) = result.systems
        levels = [
            replace(level, users=users) for level, users in zip(system.levels, (1, 2, 4, last), strict=True)
        ]
        bare = replace(system, levels=levels, peak=None, sweet_spot=None, knee=None)
        (throughput, _) = pictures(replace(result, systems=[bare]))["scaling"]
        assert isinstance(throughput.chart, Lines)
        assert throughput.chart.x.scale == scale


def test_charts_show_every_run_and_set_invalid_levels_beside_the_line() -> None:
    throughput, response = pictures(sample.one_system())["scaling"]
    for picture in (throughput, response):
        assert isinstance(picture.chart, Lines)
        main = [series for series in picture.chart.series if series.main]
        assert [len(dot.runs) for series in main for dot in series.dots] == [3, 3, 3, 3]
        assert [dot.mark for dot in main[0].dots] == ["filled", "filled", "diamond", "hollow"]
    assert isinstance(throughput.chart, Lines)
    assert {note.text for note in throughput.chart.notes} == {"levels off · sweet spot", "knee"}
    assert [guide.text for guide in throughput.chart.guides] == ["ideal"]


def test_a_single_level_has_its_percentiles_and_its_distribution() -> None:
    shown = pictures(sample.one_level())
    assert "scaling" not in shown
    percentiles, distribution = shown["distribution"]
    (level,) = sample.one_level().systems[0].levels
    assert level.response_time_ms is not None
    assert isinstance(percentiles.chart, Lines)
    (series,) = percentiles.chart.series
    assert [dot.y for dot in series.dots] == [
        getattr(level.response_time_ms, name) for name in ("p50", "p90", "p95", "p99", "p999")
    ]
    assert [round(dot.x, 3) for dot in series.dots] == [0.301, 1, 1.301, 2, 3]
    assert all(len(dot.runs) == 3 for dot in series.dots)
    assert isinstance(distribution.chart, Bars)
    assert sum(distribution.chart.shares) == pytest.approx(1)
    measured = sum(
        count
        for run in level.repeats
        for interval in run.timeline
        if interval.measured
        for _, count in interval.heat
    )
    assert f"{measured:,.0f} transactions" in printed(distribution.description)
    assert "p99.9" in draw(percentiles).svg


def test_short_times_are_drawn_in_the_unit_of_the_tables() -> None:
    (system,) = sample.one_system().systems
    levels = [
        replace(level, response_time_ms=sample.times(level.response_time_ms.mean / 100, 0.3))
        for level in system.levels
        if level.response_time_ms
    ]
    result = replace(sample.one_system(), systems=[replace(system, levels=levels)])
    (_, response) = pictures(result)["scaling"]
    assert response.title == "Response time, µs"
    assert isinstance(response.chart, Lines)
    first = levels[0].response_time_ms
    assert first is not None
    assert response.chart.series[0].dots[0].y == pytest.approx(1e3 * first.mean)
    assert "response time, µs" in terminal(result)


def test_long_names_have_room_at_the_ends_of_lines_and_each_line_has_a_name() -> None:
    """*iGenLDAPsm without modi... p* stood there: its p99 was cut off at the edge of the page."""
    result = sample.comparison()
    names = ("a directory without its modify", "a directory with one attribute alone")
    systems = [
        replace(each, name=name, transaction=what)
        for each, name, what in zip(result.systems, names, ("searches", "logins"), strict=True)
    ]
    throughput, response = pictures(replace(result, systems=systems))["scaling"]
    assert isinstance(throughput.chart, Lines)
    assert isinstance(response.chart, Lines)
    assert [each.label for each in throughput.chart.series] == [
        "a directory without…",
        "a directory with on…",
    ]
    assert throughput.title == "Throughput, searches and logins per s"
    assert [each.label for each in response.chart.series] == [
        "a directory without…",
        "p99",
        "a directory with on…",
        "p99",
    ]
    assert response.title.startswith("Response time, ms: mean, and dashed the p99")
    for picture in (throughput, response):
        plot = Plot.of(picture.chart)
        for each in picture.chart.series:
            end_px = LEFT + plot.at(each.dots[-1].x, each.dots[-1].y)[0] + 10
            # A quarter more on narrow pages, and an eighth more because it is bold.
            assert end_px + 1.4 * width_px(each.label) <= WIDTH


def test_a_chart_is_drawn_once_whatever_asks_for_it() -> None:
    first, again = (pictures(sample.comparison())["scaling"][0] for _ in range(2))
    assert first is not again
    assert draw(first) is draw(again)
    other = replace(first, title="another")
    assert draw(other) is not draw(first)


@pytest.mark.parametrize("name", ["comparison", "one_level"])
def test_every_picture_is_well_formed(name: str) -> None:
    shown = [picture for found in pictures(getattr(sample, name)()).values() for picture in found]
    names = [picture.name for picture in shown]
    assert len(names) == len(set(names))
    for picture in shown:
        drawing = draw(picture)
        root = ElementTree.fromstring(drawing.svg)
        assert root.get("width") == "560"
        assert picture.description
        inline = drawing.inline(printed(picture.description))
        ElementTree.fromstring(inline)
        assert '"#ffffff" width' not in inline, "a page in dark colours shows through"


def test_only_the_charts_import_a_chart_library() -> None:
    root = Path(igen.__file__).parent
    found = {
        path.relative_to(root).parent.as_posix()
        for path in root.rglob("*.py")
        if re.search(r"^\s*(import|from) vl_convert\b", path.read_text(encoding="utf-8"), re.M)
    }
    assert found == {"report/draw"}


def test_neighbours_of_which_nothing_can_be_used_say_so_once() -> None:
    def said(invalid: int) -> int:
        dots = [Dot(x, x, mark="hollow" if x <= invalid else "filled") for x in (1.0, 2.0, 3.0)]
        chart = Lines(Axis("users"), Axis(), [ChartLine("", 0, dots)])
        return draw(Picture("t", "Throughput", "", chart)).svg.count(">invalid<")

    assert [said(invalid) for invalid in range(4)] == [0, 1, 1, 1]


def test_each_of_several_loads_at_once_has_a_line_and_no_ideal() -> None:
    """Ten or five clerks of 10 ms beside 50 orders a second of 20 ms."""
    made = []
    for level, users in enumerate((5, 10)):
        for repeat in range(3):
            run = personas.usual(repeat, level=level)
            clerks = {"params": {}, "load": {"closed": {"users": users, "think_time_s": 0.09}}}
            run.job["personas"] = {**personas.PERSONAS, "clerks": clerks}
            made.append(run)
    result = result_of(personas.read(made))
    throughput, response = load_pictures(result, along_targets=False)
    assert isinstance(throughput.chart, Lines)
    assert isinstance(response.chart, Lines)
    lines = {line.label: [dot.y for dot in line.dots] for line in throughput.chart.series}
    assert lines == {"clerks": pytest.approx([100, 100]), "orders": pytest.approx([50, 50])}
    assert throughput.chart.guides == []
    assert [line.label for line in response.chart.series] == ["clerks", "p99", "orders", "p99"]
