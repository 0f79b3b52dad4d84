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
from igen.analysis.result import Interval, Level
from igen.report.charts import draw_pictures
from igen.report.charts.curve import Curve, CurvePoint, Note, merge_notes
from igen.report.charts.panel import Panel, round_steps
from igen.report.charts.theme import spread
from igen.report.heatmap import SHADES, HeatGrid, png, shade
from igen.report.timeline import COLUMNS_OF_REPORT, MOST_COLUMNS, columns_of_level, merged_intervals, tracks
from report import sample


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
    grid = HeatGrid.of(pairs)
    assert grid is not None
    counts = grid.counts(pairs)
    assert grid.top_ms == max(edge for heat in heats for edge in heat)
    for column, heat in enumerate(heats):
        found = {edge: count for edge, count in zip(grid.edges_ms, counts[:, column], strict=True) if count}
        assert found == heat


def test_buckets_without_a_gap_fill_the_picture_and_a_gap_stays_empty() -> None:
    edges = [2.0**doubling * (1 + quarter / 4) for doubling in range(4) for quarter in range(4)]
    full = [[edge, 1.0] for edge in edges]
    grid = HeatGrid.of([full])
    assert grid is not None
    assert grid.pixels(grid.counts([full])).all()
    holed = [pair for pair in full if not 3 < pair[0] < 8]
    assert not grid.pixels(grid.counts([holed])).all()
    far = HeatGrid.of([[[1.0, 5.0], [1000.0, 7.0]]])
    assert far is not None
    pixels = far.pixels(far.counts([[[1.0, 5.0], [1000.0, 7.0]]]))[:, 0]
    assert pixels[0] == 7.0
    assert pixels[-1] == 5.0
    assert (pixels == 0).mean() > 0.9
    assert far.bottom_ms == pytest.approx(0.8)


def test_no_counts_no_grid() -> None:
    assert HeatGrid.of([[], [[1.0, 0.0]]]) is None


def long_level(intervals: int) -> Level:
    first = sample.one_system().systems[0].levels[0]
    timeline = [
        Interval(
            start_s=float(second),
            throughput_per_s=100.0 + second % 2,
            response_p50_ms=1.0,
            response_p99_ms=float(second),
            measured=True,
            heat=[[1.0, 1.0]],
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
        done = sum(span.throughput_per_s * (span.end - span.start) for span in track.spans)
        assert done == pytest.approx(sum(interval.throughput_per_s for interval in repeat.timeline))
        assert max(span.response_p99_ms or 0 for span in track.spans) == intervals - 1
        assert sum(count for span in track.spans for _, count in span.heat) == intervals
        assert track.spans[-1].end == pytest.approx(track.end)
        assert track.end - track.start == pytest.approx(intervals)
    only = sample.one_system()
    only = replace(only, systems=[replace(only.systems[0], levels=[level])])
    assert (merged_intervals(only) > 1) == (2 * intervals > MOST_COLUMNS)
    assert shown[0].end < shown[1].start


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
        (0.3, 1.0, [0.5, 1]),
        (0.001, 150.0, [0.001, 0.01, 0.1, 1, 10, 100]),
    ],
)
def test_round_steps(bottom: float, top: float, steps: list[float]) -> None:
    assert round_steps(bottom, top) == pytest.approx(steps)


def test_notes_that_would_cover_each_other_share_their_words() -> None:
    panel = Panel("", "users", [1.0, 2.0], top=1000.0)
    notes = [
        Note(2, 900, "peak", True),
        Note(2, 905, "peak", True),
        Note(2, 100, "peak", True),
        Note(1, 900, "peak", True),
    ]
    assert [note.text for note in merge_notes(notes, panel)] == ["peak", "", "peak", "peak"]


def test_wide_loads_are_drawn_on_a_logarithmic_axis() -> None:
    assert not Panel("", "users", [1.0, 2.0, 16.0], top=1.0).log_x
    assert Panel("", "users", [1.0, 32.0], top=1.0).log_x
    assert not Panel("", "users", [0.0, 32.0], top=1.0).log_x


def test_invalid_levels_stand_beside_the_line() -> None:
    points = [
        CurvePoint(x, 1.0, None, None, verdict, "")
        for x, verdict in ((1, "VALID"), (2, "INVALID"), (4, "SUSPECT"))
    ]
    assert [point.x for point in Curve("", "#000", points).line()] == [1, 4]


def test_every_picture_is_well_formed() -> None:
    pictures = draw_pictures(sample.comparison()).all()
    names = [picture.name for picture in pictures]
    assert len(names) == len(set(names))
    for picture in pictures:
        root = ElementTree.fromstring(picture.svg)
        assert root.get("width") == "560"
        assert picture.description
        ElementTree.fromstring(picture.inline())


def test_only_the_charts_import_a_chart_library() -> None:
    root = Path(igen.__file__).parent
    found = {
        path.relative_to(root).parent.as_posix()
        for path in root.rglob("*.py")
        if re.search(r"^\s*(import|from) (altair|vl_convert)\b", path.read_text(encoding="utf-8"), re.M)
    }
    assert found == {"report/charts"}
