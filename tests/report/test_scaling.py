"""Reports of several targets: a curve along their number, what each did, and ratios to several bases."""

from __future__ import annotations

from dataclasses import replace

import pytest

from igen.aspects.targets.parts import TargetResult, Targets
from igen.aspects.targets.tables import spread_table, targets_table
from igen.judge import result_of
from igen.judge.result import Figure, Result
from igen.report.draw import draw
from igen.report.pair import headline_ratios
from igen.report.ratio_table import one_base, ratio_table
from igen.report.scaling_tables import scaling_table
from igen.report.subject import targets_text
from report import sample
from report.shown import every_format, pictures, terminal
from tests.judge.scaled import scaling_study
from tests.said import headline


@pytest.fixture(scope="module")
def result() -> Result:
    systems = scaling_study({1: 5, 2: 8, 4: 95}, reference="one instance: 725 tx/s")
    return result_of(systems, "Instances")


def test_the_scaling_table_has_a_row_for_each_number_of_instances(result: Result) -> None:
    table = scaling_table(result.systems[1])
    cells = {column.full_title: column.cells for column in table.columns if column.group != "efficiency"}
    assert cells["instances"] == ["1", "2", "4"]
    assert cells["users"] == ["50", "100", "200"]
    assert cells["per s offered"] == ["500", "1,000", "2,000"]
    assert cells["per s statements"] == ["3,000", "6,000", "12,000"]
    assert next(column for column in table.columns if column.group == "efficiency").cells[0] == "1.000"
    assert scaling_table(result.systems[0]).columns == []
    closed = [replace(level, offered_per_s=None) for level in result.systems[1].levels]
    titles = [column.title for column in scaling_table(replace(result.systems[1], levels=closed)).columns]
    assert "done" in titles
    assert "offered" not in titles


def test_every_format_shows_instances_targets_and_published_figures(result: Result) -> None:
    page, markdown, text = every_format(result)
    for shown in (page, markdown):
        for words in (
            "Scaling over instances",
            "one instance: 725 tx/s",
            "4 instances, 200 users",
            "Targets",
        ):
            assert words in shown, words
    assert "statements" in text
    assert "one instance: 725 tx/s" in text


def test_the_headline_tells_of_the_most_instances(result: Result) -> None:
    assert headline(result)[-1].startswith("2,000 transactions a second with 4 instances, ±")
    assert ", efficiency 100 % (100 to 100 %): A, horizontal (oltp)" in headline(result)[-1]
    assert "below 30 ms up to 2 instances" in headline(result)[-1]


def test_instances_have_charts_of_their_own(result: Result) -> None:
    shown = pictures(result)
    assert [picture.name for picture in shown["instances"]] == [
        "throughput-instances",
        "response-time-instances",
    ]
    assert [picture.name for picture in shown["scaling"]] == ["throughput", "response-time"]
    assert "A, vertical" not in shown["instances"][0].description
    assert "limit" in draw(shown["instances"][1]).svg
    assert "instances" not in pictures(sample.one_system())


def test_targets_are_shown_where_there_are_several() -> None:
    result = sample.one_system()
    level = result.systems[0].levels[0]
    targets = [
        TargetResult(
            target=f"sqlite:///{name}.db",
            transactions=round(rate * 10),
            errors=0,
            share=rate / 600,
            throughput_per_s=Figure(value=rate, low=rate * 0.99, high=rate * 1.01, n=3),
            response_time_ms=level.response_time_ms if name != "c" else None,
        )
        for name, rate in (("a", 100.0), ("b", 200.0), ("c", 300.0))
    ]
    sharded = replace(level, aspects=[Targets(targets=targets)])
    assert [column.cells for column in targets_table(sharded).columns][:2] == [
        ["sqlite:///a.db", "sqlite:///b.db", "sqlite:///c.db"],
        ["17", "33", "50"],
    ]
    system = replace(result.systems[0], levels=[sharded, *result.systems[0].levels[1:]])
    (row,) = spread_table(replace(result, systems=[system])).rows()
    assert row[:5] == ("1", "3", "100.0", "200.0", "300.0")
    assert targets_table(level).columns == []
    assert spread_table(result).columns == []


def test_many_targets_are_not_named_one_by_one() -> None:
    names = [f"mysql://db{number}/igen" for number in range(1, 33)]
    assert targets_text(names[:4]) == names[:4]
    assert targets_text(names) == ["mysql://db1/igen … mysql://db32/igen (32 targets)"]


def test_ratios_to_several_bases_name_theirs() -> None:
    one = sample.comparison()
    assert one_base(one) == "ext4"
    assert "against" not in [column.title for column in ratio_table(one).columns]
    others = [replace(system, name=f"{system.name} on disk") for system in one.systems]
    ratios = [
        replace(ratio, system=f"{ratio.system} on disk", base=f"{ratio.base} on disk") for ratio in one.ratios
    ]
    both = replace(one, systems=[*one.systems, *others], ratios=[*one.ratios, *ratios])
    assert one_base(both) is None
    assert [ratio.base for ratio in headline_ratios(both)] == ["ext4", "ext4 on disk"]
    text = terminal(both)
    assert text.count("Ratios to") == 0
    assert "against" in text
    assert "over" not in pictures(both)["ratios"][0].title
