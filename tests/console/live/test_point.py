"""Thinned points tell of the same time and count the same transactions."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from igen.console.live.history import History
from igen.console.live.point import COLUMNS, Point, cells, thinned, together
from igen.console.live.position import BEGIN, Position, position_of, watched, written
from igen.errors import InputError


def point(number: int, job: int = 1, phase: str = "measure", **rest: float | None) -> Point:
    values = {"p50_ms": 1.0, "p95_ms": 2.0, "p99_ms": float(number % 7), "cpu_percent": None, **rest}
    return Point(
        Position(job, 100 * number), phase, float(number), number + 1.0, 10 + number % 3, number % 2, 4, 1.0,
        10.0 + number % 3, 10.0 + number % 3, **values,  # type: ignore[arg-type]
    )  # fmt: skip


series = st.lists(st.tuples(st.booleans(), st.booleans()), max_size=300).map(
    lambda turns: [
        point(number, 1 + sum(job for job, _ in turns[:number]), "measure" if measures else "warmup")
        for number, (_, measures) in enumerate(turns)
    ]
)


@given(series, st.integers(1, 50))
def test_thinned_points_lose_and_double_nothing(points: list[Point], most: int) -> None:
    found = thinned(points, most)
    assert len(found) <= max(most, 1)
    assert sum(each.intervals for each in found) == len(points)
    assert sum(each.succeeded for each in found) == sum(each.succeeded for each in points)
    assert all(before.end_s == after.start_s for before, after in pairwise(found))
    if points:
        assert found[-1].place == points[-1].place
        assert max(each.p99_ms or 0 for each in found) == max(each.p99_ms or 0 for each in points)


@given(series, st.integers(0, 300))
def test_history_and_what_comes_after_it_are_all(points: list[Point], cut: int) -> None:
    history = History(most=64, fresh=16)
    for each in points[:cut]:
        history.add(each)
    seen = history.after(BEGIN, 1_000)
    place = seen[-1].place if seen else BEGIN
    for each in points[cut:]:
        history.add(each)
    after = history.after(place, 1_000)
    if len(history) == len(points):
        # Nothing was put together: it goes on exactly behind what was seen.
        assert sum(each.intervals for each in [*seen, *after]) == len(points)
    assert len(history) <= 64 + 1
    assert sum(each.intervals for each in history.after(BEGIN, 1_000)) == len(points)


def test_a_point_of_several_has_their_mean_their_bounds_and_the_worst_percentile() -> None:
    one = point(1, p99_ms=3.0, cpu_percent=50.0)
    two = point(2, p99_ms=None, cpu_percent=100.0)
    found = together([one, two])
    assert (found.per_s, found.least_per_s, found.most_per_s) == (11.5, 11.0, 12.0)
    assert (found.p99_ms, found.cpu_percent, found.intervals) == (3.0, 75.0, 2)
    assert tuple(cells(found)) == COLUMNS


def test_a_pause_between_jobs_is_no_time_of_load() -> None:
    found = together([point(1), point(50, job=2)])
    assert found.per_s == pytest.approx((11 + 12) / 2)


@given(st.integers(0, 10**6), st.integers(0, 10**12))
def test_a_place_is_read_as_it_is_written(job: int, offset: int) -> None:
    place = Position(job, offset)
    assert position_of(str(place)) == place
    assert watched(written({"20261123-1-a": place, "b": BEGIN})) == {"20261123-1-a": place, "b": BEGIN}


@pytest.mark.parametrize("text", ["", "1", "1:", ":1", "-1:1", "1:1:1", "a@1:1", "٣:1"])
def test_what_is_no_place_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        position_of(text)


@pytest.mark.parametrize("text", ["", "..", "../x", "a@b", "a,", ",".join("abcdefghijklmnopq")])
def test_what_names_no_runs_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        watched(text)
