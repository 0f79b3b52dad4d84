"""A study with tests: one ratio for each of them, and each of them load by load."""

from __future__ import annotations

import pytest

from igen.judge.result import Result
from igen.layout.level import colour_places, level_rows
from igen.report.method import method
from igen.report.subject import first_in_study
from igen.report.tests_table import overall_table, tables_by_test
from report.shown import every_format, pictures
from tests.judge.tested import study_with_tests
from tests.said import headline


@pytest.fixture(scope="module")
def result() -> Result:
    return study_with_tests({"R1": 1.0, "R2": 0.67})


def test_one_sentence_tells_what_came_of_all_tests(result: Result) -> None:
    assert headline(result) == [
        "B against A, mean over the loads: slower in R2 (33 %); in R1 throughput equivalent within ±3 %, p99 "
        "response time cannot be told apart (too few runs for an interval)."
    ]
    faster = headline(study_with_tests({"R1": 1.2, "R2": 1.05}))
    assert faster == ["B against A, mean over the loads: faster in R1 (20 %), R2 (5 %)."]


def test_a_test_has_a_row_beside_what_was_published_of_it(result: Result) -> None:
    table = overall_table(result)
    cells = {column.full_title: column.cells for column in table.columns}
    assert (cells["test"], cells["loads"]) == (["R1", "R2"], ["2", "2"])
    assert cells["B against A outcome"] == ["equivalent in part", "slower"]
    assert cells["published P"] == ["–", "0.670"]


def test_each_test_has_a_table_by_load(result: Result) -> None:
    (_, first), (title, second) = tables_by_test(result)
    assert title == "R2: writes"
    cells = {column.full_title: column.cells for column in second.columns}
    assert cells["users"] == ["1", "2"]
    assert cells["A median, transactions per s"] == ["1,010", "2,020"]
    assert cells["B against A difference"] == ["-333", "-667"]
    assert cells["B against A ratio"] == ["0.670", "0.670"]
    assert [column.full_title for column in first.columns] == [*cells]


def test_levels_stand_together_by_test_and_charts_show_one_each(result: Result) -> None:
    assert [row.system.name for row in level_rows(result)] == ["A R1", "B R1"] * 2 + ["A R2", "B R2"] * 2
    assert [system.name for system in first_in_study(result)] == ["A R1", "B R1"]
    assert colour_places(result) == {"A R1": 0, "B R1": 1, "A R2": 0, "B R2": 1}
    names = [picture.name for picture in pictures(result)["scaling"]]
    assert names == ["throughput-R1", "response-time-R1", "throughput-R2", "response-time-R2"]


def test_every_format_shows_the_tests_and_the_method(result: Result) -> None:
    page, markdown, terminal = every_format(result)
    for text in (page, markdown):
        for words in ("R2: writes", "slower in R2 (33 %)", "median of the last fifth"):
            assert words in text, words
    assert "R2: writes" in terminal
    assert method(result)[0][0] == "Value: median of the last fifth"
