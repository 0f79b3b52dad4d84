"""What stands below charts and tables is true of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from igen.document import Forest, Lines, Timeline
from igen.judge.result import Interval, Level, Result, System, Times
from igen.printed import printed
from igen.report.detail_tables import operations_table, runs_table
from igen.report.draw import draw
from igen.report.draw.lines import Plot
from igen.report.level_tables import ALIKE_NOTE, results_table, terminal_table
from igen.report.method import floor_sentence
from igen.report.points_table import points_table
from igen.report.sections.levels import timeline
from report import sample
from report.shown import html, pictures
from tests.said import say


def with_levels(result: Result, levels: list[Level]) -> Result:
    return replace(result, systems=[replace(result.systems[0], levels=levels)])


def waiting(times: Times) -> Times:
    return replace(times, mean=times.mean / 2, p50=times.p50 / 2)


def titles(result: Result) -> list[str]:
    return [column.full_title for column in results_table(result).columns]


def test_service_times_stand_apart_only_where_somebody_waited() -> None:
    alike = sample.one_system()
    assert "service time p50, ms" not in titles(alike)
    assert ALIKE_NOTE in results_table(alike).notes
    (system,) = alike.systems
    first = system.levels[0]
    assert first.service_time_ms is not None
    waited = replace(first, service_time_ms=waiting(first.service_time_ms))
    apart = with_levels(alike, [waited, *system.levels[1:]])
    assert "service time p50, ms" in titles(apart)
    assert ALIKE_NOTE not in results_table(apart).notes
    untimed = [replace(level, response_time_ms=None, service_time_ms=None) for level in system.levels]
    assert ALIKE_NOTE not in results_table(with_levels(alike, untimed)).notes


def test_service_times_of_operations_stand_apart_only_where_somebody_waited() -> None:
    level = sample.one_system().systems[0].levels[0]
    commit = level.operations["commit"]
    assert commit.service_time_ms is not None
    assert not any("service" in column.full_title for column in operations_table(level).columns)
    slower = replace(commit, service_time_ms=waiting(commit.service_time_ms))
    table = operations_table(replace(level, operations={**level.operations, "commit": slower}))
    assert any("service" in column.full_title for column in table.columns)


def test_unsent_arrivals_have_a_column_only_where_arrivals_were_planned() -> None:
    assert "unsent" not in titles(sample.one_system())
    assert "unsent" in titles(sample.open_load())


@pytest.mark.parametrize("table_of", [results_table, terminal_table])
def test_the_number_after_a_verdict_is_that_of_its_reason_below(table_of: object) -> None:
    assert callable(table_of)
    table = table_of(sample.one_system())
    (verdicts,) = [column.cells for column in table.columns if column.title == "verdict"]
    assert verdicts == ["VALID", "VALID", "SUSPECT [1]", "INVALID [2, 3]"]
    assert [note for note in map(printed, table.notes) if note.startswith("[")] == [
        f"[{number}] {say(each)}"
        for number, each in enumerate((sample.STOLEN, sample.ERRORS, sample.SLOWED), start=1)
    ]


def test_runs_have_their_reasons_and_their_files() -> None:
    (system,) = sample.one_system().systems
    table = runs_table(system)
    cells = {column.title: column for column in table.columns}
    assert cells["verdict"].cells[7] == "SUSPECT [1]"
    assert cells["verdict"].cells[0] == "VALID"
    assert printed(table.notes[0]) == f"[1] {say(sample.STOLEN)}"
    assert cells["file"].links[0] == f"run:{system.run}/jobs/0001.jsonl"


def test_axes_begin_at_zero_unless_marked_as_logarithmic() -> None:
    drawn = [picture for found in pictures(sample.comparison()).values() for picture in found]
    charts = [(picture, picture.chart) for picture in drawn if isinstance(picture.chart, Lines)]
    assert {chart.y.scale for _, chart in charts} == {"linear", "log"}
    for picture, chart in charts:
        plot = Plot.of(chart)
        svg = draw(picture).svg
        for axis, measure in ((chart.x, plot.x), (chart.y, plot.y)):
            assert (measure.low == 0) == (axis.scale == "linear")
        assert ("(log scale)" in svg) == ("log" in (chart.x.scale, chart.y.scale))


def test_grey_with_a_tilde_is_what_cannot_be_told_apart() -> None:
    result = sample.comparison()
    deciding = [ratio for ratio in result.ratios if ratio.decides]
    throughput, _ = pictures(result)["ratios"]
    assert isinstance(throughput.chart, Forest)
    assert [row.told for row in throughput.chart.rows] == [
        ratio.answer != "cannot tell" for ratio in deciding
    ]
    assert [row.words.endswith("~") for row in throughput.chart.rows] == [
        ratio.answer == "cannot tell" for ratio in deciding
    ]
    assert [row.told for row in throughput.chart.rows] == [True, False, True, True]


def test_all_levels_of_a_system_share_one_axis_of_response_times() -> None:
    drawn = [picture.chart for picture in pictures(sample.one_system())["timeline"]]
    heats = [chart for chart in drawn if isinstance(chart, Timeline) and chart.edges_ms]
    assert len(heats) == 4
    assert len({tuple(chart.edges_ms) for chart in heats}) == 1
    seen = {
        edge for chart in heats for track in chart.tracks for span in track.spans for edge, _ in span.heat
    }
    assert seen == set(heats[0].edges_ms)


def test_what_does_not_count_is_marked_and_runs_stand_from_left_to_right() -> None:
    first = pictures(sample.one_system())["timeline"][0].chart
    assert isinstance(first, Timeline)
    assert [track.name for track in first.tracks] == ["repeat 1", "repeat 2", "repeat 3"]
    starts = [track.start_s for track in first.tracks]
    assert starts == sorted(starts)
    level = sample.one_system().systems[0].levels[0]
    for track, run in zip(first.tracks, level.repeats, strict=True):
        assert [span.measured for span in track.spans] == [interval.measured for interval in run.timeline]


def test_the_caption_tells_of_merged_intervals_only_where_there_are_any() -> None:
    assert "A column may stand for" not in html(sample.one_system())
    (system,) = sample.one_system().systems
    level = system.levels[0]
    long = [
        Interval(
            start_s=float(s), throughput_per_s=1.0, response_p50_ms=1.0, response_p99_ms=1.0, measured=True
        )
        for s in range(1000)
    ]
    runs = [replace(run, timeline=long) for run in level.repeats]
    section = timeline(with_levels(sample.one_system(), [replace(level, repeats=runs)]))
    assert section is not None
    assert "A column may stand for 13 intervals" in str(section.blocks[0])


def test_points_say_from_how_many_runs_they_are() -> None:
    def origin(system: System) -> list[str]:
        table = points_table(replace(sample.one_system(), systems=[system]))
        return list(table.columns[-1].cells)

    (system,) = sample.one_system().systems
    assert system.peak is not None
    assert origin(system)[0] == "3 confirmation runs"
    loose = replace(system.peak, confirmed=False)
    assert origin(replace(system, peak=loose))[0] == "3 runs, not confirmed"


def test_the_floor_is_in_nanoseconds() -> None:
    assert floor_sentence(33.8) == "The engine itself costs 33.8 ns for each transaction, measured with noop."
    assert "costs 33.8 ns" in html(sample.one_system())
