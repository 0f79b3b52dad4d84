from __future__ import annotations

from dataclasses import replace

import pytest

from aspects.test_memory import measured
from igen.aspects.aspects import ASPECTS
from igen.aspects.memory.pictures import memory_pictures
from igen.document import Lines
from igen.judge import analyse, result_of
from igen.judge.intent import Intent
from igen.judge.result import OperationResult, Result
from igen.reference.load import load_reference
from igen.report.detail_tables import operations_table
from igen.report.draw import draw
from igen.report.text import summary_text
from igen.report.workload_tables import workload_tables
from report.shown import pictures
from tests.said import headline

PASSES_MS = {
    "copy_avx2": 100.0,
    "copy_scalar": 125.0,
    "copy_sse2_nt": 50.0,
    "copy_memcpy": 90.0,
    "read_avx2": 40.0,
    "chase": 80.0,
}


def threads() -> Result:
    recordings = [measured(PASSES_MS, users=users, level=users - 1) for users in (1, 2)]
    return result_of(analyse(recordings, aspects=ASPECTS), aspects=ASPECTS)


def sweep() -> Result:
    recordings = [
        measured(
            {name: ms * (1 + number) for name, ms in PASSES_MS.items()}, 2 ** (20 + number), level=number
        )
        for number in range(4)
    ]
    return result_of(
        analyse(recordings, intent=Intent(reference=load_reference("memory")), aspects=ASPECTS),
        aspects=ASPECTS,
    )


def table(result: Result, title: str) -> dict[str, tuple[str, ...]]:
    """The rows of a table by their first cell."""
    found = dict(workload_tables(result))[title]
    return {row[0]: row for row in found.rows()}


def test_the_best_of_each_kernel_by_threads() -> None:
    best = table(threads(), "Memory: the best of each kernel")
    assert best["read"] == ("read", "25.0", "avx2", "50.0", "avx2")
    assert best["copy nt"] == ("copy nt", "40.0", "sse2", "80.0", "sse2")
    assert set(best) == {"read", "copy regular", "copy memcpy or rep", "copy nt"}


def test_every_kernel_with_what_it_moved_and_none_of_stream_by_nt() -> None:
    result = threads()
    every = table(result, "Memory: every kernel")
    assert every["copy_avx2"][1:4] == ("20.0", "–", "30.0")
    assert every["copy_memcpy"][3] == "–"
    assert "chase" not in every
    assert table(result, "Memory: latency")["look-up, ns"] == ("look-up, ns", "80.0", "80.0")
    text = summary_text(result)
    assert "not to be laid beside STREAM's figures" in " ".join(text.split())
    assert "peaks at" not in text


@pytest.mark.parametrize(
    ("passes_ms", "expected"),
    [
        (
            {"copy_avx2": 100.0, "chase": 80.0},
            "20.0 GB/s (copy regular) at 1 user, 1 run, no interval: the fastest pass of ",
        ),
        ({"chase": 80.0}, "80.0 ns (chase) at 1 user, 1 run, no interval: the shortest look-up of "),
    ],
)
def test_the_headline_has_the_figure_that_was_measured(passes_ms: dict[str, float], expected: str) -> None:
    (sentence,) = headline(result_of(analyse([measured(passes_ms)], aspects=ASPECTS), aspects=ASPECTS))
    assert sentence.startswith(expected)


def test_of_the_look_ups_of_several_loads_the_headline_has_the_shortest() -> None:
    made = [measured({"chase": ms}, users=users, level=users) for users, ms in ((1, 80.0), (2, 9.5))]
    (sentence,) = headline(result_of(analyse(made, aspects=ASPECTS), aspects=ASPECTS))
    assert sentence.startswith("9.50 ns (chase) at 2 users")


def test_one_kernel_alone_is_not_shown_twice() -> None:
    result = result_of(analyse([measured({"copy_avx2": 100.0})], aspects=ASPECTS))
    titles = dict(workload_tables(result))
    assert "Memory: the best of each kernel" not in titles
    assert "Memory: every kernel" in titles


def test_sizes_are_columns_and_published_figures_stand_beside_the_largest() -> None:
    result = sweep()
    best = table(result, "Memory: the best of each kernel")
    assert best["read"] == ("read", "25.0", "12.5", "8.33", "6.25")
    assert "Memory: every kernel" not in dict(workload_tables(result))
    published = list(dict(workload_tables(result))["Memory: beside published figures"].rows())
    assert published[0] == ("memspeed, one processor", "read", "3.0", "1 user", "6.25", "avx2", "2.08")
    assert published[1][4] == "–"
    assert published[2][4:6] == ("10.00", "sse2 nt")


def test_charts_by_size_and_by_threads_instead_of_passes() -> None:
    shown = pictures(sweep())
    assert [picture.name for picture in shown["memory"]] == ["memory-size-1", "memory-latency"]
    svg = draw(shown["memory"][0]).svg
    assert "copy nt" in svg
    assert "1 MiB" in svg
    assert not {"grid", "scaling", "distribution"} & set(shown)
    shown = pictures(threads())
    assert [picture.name for picture in shown["memory"]] == ["memory-threads-1"]
    assert "read 50.0" in shown["memory"][0].description


def test_each_run_has_a_dot() -> None:
    """A kernel of bandwidth and one of latency; the copies of the runs take 100, 110 and 120 ms a pass."""
    made = [
        measured(
            {"copy_avx2": 100.0 + 10 * repeat, "chase": 80.0 + repeat},
            2 ** (20 + number),
            level=number,
            repeat=repeat,
        )
        for number in range(2)
        for repeat in range(3)
    ]
    found = memory_pictures(result_of(analyse(made, aspects=ASPECTS), aspects=ASPECTS))
    dots = {
        picture.name: [dot for each in picture.chart.series for dot in each.dots]
        for picture in found
        if isinstance(picture.chart, Lines)
    }
    assert dots.keys() == {"memory-size-1", "memory-latency"}
    for of in dots.values():
        for dot in of:
            assert len(dot.runs) == 3
            assert min(dot.runs) < dot.y < max(dot.runs)


def test_operations_without_a_turn_have_no_row() -> None:
    (level,) = analyse([measured({"read_avx2": 40.0})], aspects=ASPECTS)[0].levels
    idle = OperationResult(count=0, failed=0, per_s=0.0, response_time_ms=None, service_time_ms=None)
    table = operations_table(replace(level, operations=level.operations | {"a": idle, "b": idle}))
    assert {row[0] for row in table.rows()} == set(level.operations)
    assert table.notes == ["2 operations without a turn"]
    assert operations_table(level).notes == []
