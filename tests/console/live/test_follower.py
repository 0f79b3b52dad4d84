"""However the file comes, in whichever pieces, the points are the same."""

from __future__ import annotations

import tempfile
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from igen.console.live.documents import MOST_DIGEST_BYTES, digest, figures_of, plan_of, state_of, top_of
from igen.store.run import Run
from tests.console.live.growing import INTERVALS, STUDY, Reader, decoded, grow, job_bytes, new_run

JOBS = (1, 2, 3)
FILES = {number: job_bytes(number) for number in JOBS}


def whole(store: Path) -> Run:
    run = new_run(store)
    for number, data in FILES.items():
        grow(run, number, data)
    return run


@settings(max_examples=30)
@given(
    cuts=st.lists(st.tuples(st.sampled_from(JOBS), st.floats(0, 1)), max_size=12),
    slice_bytes=st.integers(64, 40_000),
)
def test_points_do_not_depend_on_where_the_file_was_cut(
    cuts: list[tuple[int, float]], slice_bytes: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        expected = Reader(whole(Path(folder) / "whole"))
        expected.read()
        run = new_run(Path(folder) / "growing")
        reader = Reader(run, slice_bytes)
        for number, data in FILES.items():
            places = [0, *sorted(int(share * len(data)) for job, share in cuts if job == number), len(data)]
            for begin, end in pairwise(places):
                grow(run, number, data[begin:end])
                reader.read()
        assert reader.points == expected.points
        assert figures_of(reader.follower.now) == figures_of(expected.follower.now)  # type: ignore[arg-type]
        assert [each.number for each in reader.follower.ended] == [1, 2]
        assert reader.follower.changes == expected.follower.changes


def test_each_interval_is_a_point_with_its_own_figures(tmp_path: Path) -> None:
    points = Reader(whole(tmp_path)).read()
    assert len(points) == len(JOBS) * INTERVALS
    first = points[0]
    assert (first.phase, first.users, first.succeeded, first.failed, first.per_s) == (
        "warmup",
        1,
        100,
        0,
        100.0,
    )
    assert first.p99_ms == pytest.approx(1.0, rel=0.004)
    assert first.cpu_percent is None
    assert points[5].cpu_percent == pytest.approx(75.0)
    assert [point.start_s for point in points[:2]] == [0.5, 1.5]
    assert points[INTERVALS].start_s == 30.5


def test_a_clock_that_was_set_back_does_not_turn_the_time_around(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    grow(run, 1, job_bytes(1))
    grow(run, 2, job_bytes(2, started_unix_s=900_000.0))
    points = Reader(run).read()
    assert all(before.end_s <= after.start_s for before, after in pairwise(points))


def test_a_damaged_line_and_a_file_that_was_cut_off_leave_the_rest(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    data = FILES[1].replace(b'"users":1,"transactions":{"count":100,"failed":1', b'"users":1,"trans', 1)
    grow(run, 1, data[: len(data) // 2])
    grow(run, 2, FILES[2])
    points = Reader(run).read()
    assert [point.place.job for point in points].count(2) == INTERVALS
    assert 0 < [point.place.job for point in points].count(1) < INTERVALS


def test_what_has_not_the_form_of_an_event_is_left_out(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    events = (
        b'{"snapshot":{"phase":1}} {"snapshot":[]} {"phase":{}} nonsense  {"hello":{"started_unix_s":"x"}} '
    )
    strange = events.replace(b" ", b"\n")
    for series in (b"[]", b"7", b'{"user_s":"x"}', b'{"user_s":[]}'):
        place = b'"host":"lab","monitor":"cpu","at_s":3'
        strange += b'{"reading":{%s,"counters":%s,"gauges":{}}}\n' % (place, series)
        strange += b'{"reading":{%s,"counters":{},"gauges":%s}}\n' % (place, series)
    for body in (
        b'{"job":[1]}',
        b'{"job":{"load":7}}',
        b'{"level":"x"}',
        b'{"job":{"load":{"open":{"rate_per_s":[]}}}}',
    ):
        strange += b'{"job_start":{"started_unix_s":1e6,%s}\n' % body[1:]
    strange += b'{"reading":{"monitor":"cpu","at_s":[]}}\n{"reading":7}\n'
    head, rest = FILES[1].split(b"\n", 1)
    grow(run, 1, strange + head + b"\n" + strange + rest + strange)
    reader = Reader(run)
    assert len(reader.read()) == INTERVALS
    assert reader.follower.now is not None
    assert figures_of(reader.follower.now)["operations"]


def test_a_run_that_was_deleted_is_told(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    (run.folder / "jobs").rmdir()
    with pytest.raises(FileNotFoundError):
        Reader(run).read()


def test_a_digest_fits_and_names_the_busiest(tmp_path: Path) -> None:
    reader = Reader(whole(tmp_path))
    point = reader.read()[-1]
    job = reader.follower.now
    assert job is not None
    told = decoded(digest(point, top_of(job), job.machine.tiers()))
    assert told["top"][0] == ["search", 300.0, pytest.approx(12.0, rel=0.005)]
    assert told["tiers"] == {"web": 80.0}
    many = {f"a tier with a long name {number}": 50.0 for number in range(20)}
    assert len(digest(point, top_of(job), many)) <= MOST_DIGEST_BYTES


def test_the_state_says_where_the_run_is_and_what_is_left(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    grow(run, 1, FILES[1])
    data = FILES[2]
    grow(run, 2, data[: data.index(b'"phase":"measure"') + 200])
    reader = Reader(run)
    reader.read()
    state = state_of(reader.follower, "running", [], plan_of(STUDY))
    assert (state["job"], state["level"], state["levels"], state["repeats"]) == (2, 1, 3, 1)
    assert (state["load"], state["phase"], state["planned_s"]) == ("2 users", "measure", INTERVALS - 2.0)
    assert 20 < state["left_s"] < 40


def test_operations_and_failures_are_of_the_present_level(tmp_path: Path) -> None:
    reader = Reader(whole(tmp_path))
    reader.read()
    job = reader.follower.now
    assert job is not None
    figures = figures_of(job)
    assert figures["failures"] == [["search: status 503", INTERVALS // 2]]
    row = figures["operations"][0]
    assert (row["count"], row["per_s"], row["failed"]) == (300 * INTERVALS, 300.0, INTERVALS // 2)
    assert row["p99_ms"] == pytest.approx(12.0, rel=0.005)
    assert figures["host"]["cpu_percent"] == pytest.approx(75.0)
    assert figures["tiers"] == {"web": 80.0}
