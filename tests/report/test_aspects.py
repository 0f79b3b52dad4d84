"""An aspect that the report does not know brings a headline, columns, figures, sections and options."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import pytest

from igen.document import Block, Column, Document, Paragraph, Section
from igen.judge import analyse, result_of
from igen.judge.aspect import Aspect, LevelRuns, Views
from igen.judge.curve.named import named
from igen.judge.result import Finding, Level, LevelPart, Part, Result, System
from igen.judge.trust.finding import finding
from igen.report.reproduce import command
from tests.judge.synthetic import recording
from tests.said import headline, say

MODULES = ("aspects", "grid", "reproduce", "statement")


@dataclass(frozen=True, slots=True, kw_only=True)
class Weather(LevelPart):
    kind: Literal["weather"] = "weather"


def weather_of(_: LevelRuns) -> Weather:
    return Weather()


def result_at_a_glance(system: System) -> Finding:
    return finding("no-pass-usable", named(system), Part(name="workload", text="weather"), scope="system")


def rain(levels: Sequence[Level]) -> list[Column]:
    return [Column("rain", ["2 mm"] * len(levels))]


def clouds(result: Result) -> Section:
    return Section("clouds", "Clouds", [Paragraph(f"{len(result.systems)} sky")])


WEATHER = Aspect(
    name="weather",
    level_part=Weather,
    measure=weather_of,
    headline=result_at_a_glance,
    columns={"counts": rain, "resources": rain},
    sections={place: Views(clouds, clouds) for place in ("references", "pictures", "statistics")},
    answers=lambda _: {"torture": 86400.0},
)


@pytest.fixture
def result(monkeypatch: pytest.MonkeyPatch) -> Result:
    for module in MODULES:
        monkeypatch.setattr(importlib.import_module(f"igen.report.{module}"), "ASPECTS", (WEATHER,))
    return result_of(analyse([recording()], aspects=[WEATHER]), aspects=[WEATHER])


def test_its_finding_is_the_headline_and_no_peak_is_named(result: Result) -> None:
    (system,) = result.systems
    (sentence,) = headline(result)
    assert sentence.startswith(say(result_at_a_glance(system)))
    assert system.peak is None


def test_its_columns_stand_in_the_tables_of_all_workloads(result: Result) -> None:
    from igen.report.level_tables import resources_table, results_table, terminal_table

    for table_of in (results_table, terminal_table, resources_table):
        titles = [column.title for column in table_of(result).columns]
        assert titles.count("rain") == 1


def test_its_sections_stand_in_their_places(result: Result) -> None:
    from igen.report.aspects import of_aspects
    from igen.report.outline import page, summary

    assert [each.page and each.page(result) for each in of_aspects("pictures")] == [clouds(result)]
    assert _last(page(result, statistics=True)) == clouds(result).blocks
    assert _last(page(result)) != clouds(result).blocks, "only if somebody asks"
    assert _last(summary(result, statistics=True)) == clouds(result).blocks
    assert _last(summary(result)) != clouds(result).blocks


def _last(document: Document) -> Sequence[Block]:
    return document.sections[-1].blocks


def test_its_options_repeat_the_run(result: Result) -> None:
    assert "--torture 86400s" in command(result.systems[0])
    assert "--repeats" not in command(result.systems[0])
