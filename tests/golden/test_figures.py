"""One fact has one number: each figure that a reader sees is a field of the result, whatever the format.

A number of four digits or more must be any field. A shorter one is found among all fields by chance: it
must be a field of its unit. Numbers of charts and sheets are not rounded, and must be equal to a field.
"""

from __future__ import annotations

import csv
import html as entities
import io
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import fields as parts_of
from dataclasses import is_dataclass, replace
from typing import Any

import pytest

from igen.document import Axis, Banner, Bars, Block, Document, Fold, Items, Panes, Paragraph, Table
from igen.judge.result import Result
from igen.printed import printed
from igen.report import outline
from igen.report.printers.spreadsheet import levels_csv, timeline_csv
from tests.golden.record import RUNS
from tests.golden.told import UNITS, by_unit, fields, is_exactly, is_told, is_told_in, numbers
from tests.report.shown import every_format, pictures

DIGITS_OF_A_FIGURE = 4
DIGITS_WITH_A_UNIT = 2
WITH_UNIT = re.compile(rf"(?<![\w.,])(\d[\d,]*(?:\.\d+)?)\s?({'|'.join(UNITS)})(?![\w/])")
PLACES = {"colour", "end_s", "slope", "start_s", "x"}
"""Numbers of a chart that say where it draws."""
NO_FIGURES = {"disclosure", "environment", "published"}
"""Sections of constants, of settings and of the figures of others."""
PUBLISHED = ", published"


def without_published(document: Document) -> Document:
    """Figures of others are no fields of the result."""
    return replace(document, sections=[each for each in document.sections if each.name != "published"])


def rows(page: str) -> str:
    """The words of a page, each row of a table in a line, without rows of what others have published."""
    shown = re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)
    text = entities.unescape(re.sub(r"<[^>]*>", " ", shown.replace("</tr>", "\n")))
    return "\n".join(line for line in text.splitlines() if PUBLISHED not in line)


@pytest.mark.parametrize("name", RUNS)
def test_every_figure_that_a_reader_sees_is_a_field_of_the_result(
    results: dict[str, Result], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second value of the same fact, of whatever kind, would be in no field."""
    told, seen = fields(results[name]), 0
    document = outline._document
    monkeypatch.setattr(outline, "_document", lambda *values: without_published(document(*values)))
    for page in every_format(results[name]):
        for value, half, digits in numbers(rows(page)):
            if len(digits) >= DIGITS_OF_A_FIGURE:
                seen += 1
                assert is_told(value, half, told), (value, digits)
    assert seen > 20


def sentences(blocks: Sequence[Block]) -> Iterator[str]:
    """Yield the lines of a document, a cell of a table with its unit. Notes of tables explain signs."""
    for block in blocks:
        match block:
            case Fold():
                yield from sentences(block.blocks)
            case Panes():
                for pane in block.panes:
                    yield from sentences(pane)
            case Table():
                units = [column.full_title.rpartition(", ")[2] for column in block.columns]
                for row in block.rows():
                    if not any(PUBLISHED in cell for cell in map(printed, row)):
                        yield from (
                            f"{cell} {unit}" if unit in UNITS else cell
                            for cell, unit in zip(map(printed, row), units, strict=True)
                        )
            case Paragraph(role="plain" | "headline" | "note"):
                yield printed(block.words)
            case Banner():
                yield from map(printed, block.lines)
            case Items():
                yield from map(printed, block.entries)


def short_figures(result: Result) -> Iterator[tuple[str, float, float, str]]:
    """Yield the unit, the value, half of the last digit and the digits of each figure."""
    for section in outline.page(result).sections:
        if section.name not in NO_FIGURES:
            for line in sentences(section.blocks):
                for match in WITH_UNIT.finditer(line):
                    value, half, digits = next(numbers(match[1]))
                    if len(digits) >= DIGITS_WITH_A_UNIT:
                        yield match[2], value, half, digits


@pytest.mark.parametrize("name", RUNS)
def test_every_figure_with_a_unit_is_a_field_of_that_unit(results: dict[str, Result], name: str) -> None:
    told = by_unit(results[name])
    found = [*short_figures(results[name])]
    assert len(found) > 8
    assert [figure for figure in found if not is_told_in(*figure[:3], told)] == []


def test_a_false_figure_of_three_digits_is_found(results: dict[str, Result]) -> None:
    """Each printed figure in turn is replaced by one that is 7 to 10 % larger or smaller."""
    chance = random.Random(7)
    planted = found = 0
    for result in results.values():
        told = by_unit(result)
        for unit, value, half, digits in short_figures(result):
            if len(digits) == 3:
                false = round(value * chance.choice((0.9, 0.93, 1.07, 1.1)) / (2 * half)) * 2 * half
                planted += 1
                found += not is_told_in(unit, false, half, told)
    assert planted > 200
    assert found > 0.8 * planted


def drawn(value: Any, name: str = "") -> Iterator[float]:
    """Yield each number of a chart. Axes are no figures, and neither are counts of a histogram."""
    if isinstance(value, Axis | Bars):
        return
    if is_dataclass(value):
        for part in parts_of(value):
            yield from drawn(getattr(value, part.name), part.name)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from drawn(each, name)
    elif isinstance(value, int | float) and not isinstance(value, bool) and name not in PLACES:
        yield float(value)


def undrawn(result: Result, told: Sequence[float]) -> list[tuple[str, float]]:
    """Return the numbers of the charts that are no fields."""
    charts = [picture for shown in pictures(result).values() for picture in shown]
    assert sum(1 for picture in charts for _ in drawn(picture.chart)) > 20
    return [
        (picture.name, number)
        for picture in charts
        for number in drawn(picture.chart)
        if not is_exactly(number, told)
    ]


def untold(sheet: str, told: Sequence[float]) -> list[tuple[str, str]]:
    """Return the columns and numbers of a sheet that are no fields."""
    cells = [cell for record in csv.DictReader(io.StringIO(sheet)) for cell in record.items()]
    figures = [(name, cell) for name, cell in cells if re.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?", cell)]
    assert len(figures) > 20
    return [(name, cell) for name, cell in figures if not is_exactly(float(cell), told)]


@pytest.mark.parametrize("name", RUNS)
def test_charts_and_sheets_have_the_same_figures(results: dict[str, Result], name: str) -> None:
    result = results[name]
    told = fields(result)
    assert undrawn(result, told) == []
    assert untold(levels_csv(result), told) == []
    assert untold(timeline_csv(result), told) == []


def test_a_false_figure_of_a_chart_or_a_sheet_is_found(results: dict[str, Result]) -> None:
    """The throughput is 0.01 % larger than the fields say."""
    result = results["http"]
    told = fields(result)
    (system,) = result.systems
    (level,) = system.levels
    rate = replace(level.throughput_per_s, value=1.0001 * level.throughput_per_s.value)
    other = replace(result, systems=[replace(system, levels=[replace(level, throughput_per_s=rate)])])
    assert ("throughput_per_s", str(rate.value)) in untold(levels_csv(other), told)
    run = level.repeats[0]
    spans = [replace(each, throughput_per_s=1.0001 * each.throughput_per_s) for each in run.timeline]
    late = replace(level, repeats=[replace(run, timeline=spans)])
    assert undrawn(replace(result, systems=[replace(system, levels=[late])]), told)
