"""Markdown, CSV and JSON, and the files of every format."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from igen.errors import IgenError
from igen.judge.trust.disturbance import Bound, Disturbance
from igen.judge.trust.finding import finding
from igen.judge.trust.trust import Trust
from igen.report import write_report
from igen.report.level_tables import results_table
from igen.report.printers.markdown import escape
from igen.report.printers.spreadsheet import level_records, levels_csv
from report import sample
from report.snapshot import check
from tests.said import say


@pytest.mark.parametrize("name", ["one_system", "comparison"])
def test_markdown(name: str, tmp_path: Path) -> None:
    files = write_report(getattr(sample, name)(), tmp_path / f"{name}.md", "markdown")
    text = files[0].read_text(encoding="utf-8")
    check(f"{name}.md", text)
    shown = {tmp_path / found for found in re.findall(r"\(([^()\s]+\.(?:png|svg))\)", text)}
    assert shown == set(files[1:])
    assert all(file.stat().st_size > 1000 for file in files)


@pytest.mark.parametrize("name", ["hostile", "broken"])
def test_markdown_of_unusual_results(name: str, tmp_path: Path) -> None:
    text = write_report(getattr(sample, name)(), tmp_path / "r.md", "markdown")[0].read_text(encoding="utf-8")
    assert "<script" not in text.replace(f"--name '{sample.HOSTILE}'", "").replace(
        f"--target '{sample.HOSTILE}'", ""
    ).replace(f"'{sample.HOSTILE}={sample.HOSTILE}'", "")


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a | b\nc", r"a \| b c"),
        ("<b> & *x*", r"&lt;b&gt; &amp; \*x\*"),
        ("[a](b)", r"\[a\](b)"),
        ("`", r"\`"),
    ],
)
def test_markdown_shows_text_as_it_is(text: str, escaped: str) -> None:
    assert escape(text) == escaped


@pytest.mark.parametrize("name", ["one_system", "comparison"])
def test_csv(name: str, tmp_path: Path) -> None:
    result = getattr(sample, name)()
    levels, timeline = write_report(result, tmp_path / f"{name}.csv", "csv")
    check(f"{name}.csv", levels.read_text(encoding="utf-8"))
    rows = list(csv.DictReader(levels.open(encoding="utf-8", newline="")))
    assert [float(row["throughput_per_s"]) for row in rows] == [
        level.throughput_per_s.value for system in result.systems for level in system.levels
    ]
    assert timeline.name == f"{name}-timeline.csv"
    intervals = list(csv.DictReader(timeline.open(encoding="utf-8", newline="")))
    assert len(intervals) == sum(
        len(repeat.timeline)
        for system in result.systems
        for level in system.levels
        for repeat in level.repeats
    )
    assert {row["measured"] for row in intervals} == {"0", "1"}


@pytest.mark.parametrize(
    "begin", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20"]
)
def test_no_cell_of_csv_is_taken_for_a_formula_nor_the_name_of_a_column(begin: str) -> None:
    words = f"{begin}1+1"
    result = sample.one_system()
    (system,) = result.systems
    of_words = replace(finding("nothing-done"), load=words)
    levels = [
        replace(each, findings=[of_words], rates={words: each.throughput_per_s}) for each in system.levels
    ]
    table = levels_csv(replace(result, systems=[replace(system, name=words, levels=levels)]))
    rows = list(csv.reader(io.StringIO(table, newline="")))
    cells = [cell for row in rows for cell in row]
    assert not [cell for cell in cells if "1+1" in cell and not cell.startswith("'")]
    assert len([cell for cell in cells if cell.startswith(f"'{words}".replace("\r", " "))]) == 1 + 2 * len(
        levels
    )
    assert rows[1][rows[0].index("throughput_per_s")] == str(levels[0].throughput_per_s.value)


def test_csv_has_what_the_table_of_levels_has() -> None:
    """By the titles of the table's columns; a column that is new must be added here and there."""
    names = {
        "verdict": ("verdict", "throughput_verdict", "times_verdict", "rules", "reasons", "notes"),
        "throughput per s": ("throughput_per_s",),
        "throughput 95 % interval": ("throughput_low_per_s", "throughput_high_per_s"),
        "throughput machine": ("throughput_machine_low_percent", "throughput_machine_high_percent"),
        "throughput runs": ("repeats",),
        "throughput ratio": ("base", "ratio_of", "ratio", "answer"),
        "throughput 95 % of ratio": ("ratio_low", "ratio_high"),
        "response time mean": ("response_mean_ms", "response_mean_low_ms", "response_mean_high_ms"),
        "response time p50": ("response_p50_ms",),
        "response time p95": ("response_p95_ms",),
        "response time p99": ("response_p99_ms",),
        "response time 95 % of p99": ("response_p99_low_ms", "response_p99_high_ms"),
        "response time machine": ("times_machine_low_percent", "times_machine_high_percent"),
        "service time p50": ("service_p50_ms",),
        "service time p95": ("service_p95_ms",),
        "service time p99": ("service_p99_ms",),
        "users": ("users",),
        "system": ("system",),
        "errors": ("errors",),
        "unsent": ("unsent",),
        "CPU %": ("cpu_percent",),
        "offered per s": ("offered_per_s",),
    }
    disturbed = Disturbance(throughput=Bound(high_percent=9.0), times=Bound(low_percent=-8.0))
    lost = finding("connections-lost", times=3.0)
    repeat = sample.one_system().systems[0].levels[0].repeats[0]
    for made in (sample.one_system(), sample.comparison(), sample.open_load()):
        systems = [
            replace(
                system,
                levels=[
                    replace(
                        each,
                        trust=Trust(disturbance=disturbed),
                        findings=[replace(lost, scope="level")],
                        repeats=[replace(repeat, findings=[lost])],
                    )
                    for each in system.levels
                ],
            )
            for system in made.systems
        ]
        result = replace(made, systems=systems)
        records = level_records(result)
        for title in (column.full_title.partition(", ")[0] for column in results_table(result).columns):
            assert all({*names[title]} <= record.keys() for record in records), title
        assert {record["throughput_machine_high_percent"] for record in records} == {9.0}
        assert {record["times_machine_low_percent"] for record in records} == {-8.0}
        assert {record["load_failures"] for record in records} == {say(lost)}
        assert {record["rules"] for record in records} == {lost.rule}
    compared = level_records(sample.comparison())
    decided = [ratio for ratio in sample.comparison().ratios if ratio.decides]
    assert [each["ratio"] for each in compared if each["base"]] == [each.ratio.value for each in decided]
    assert {each["ratio"] for each in compared if not each["base"]} == {None}


def filled(value: Any) -> Any:
    """Return a document without empty fields."""
    if isinstance(value, dict):
        return {name: filled(each) for name, each in value.items() if each not in ("", None, [])}
    return [filled(each) for each in value] if isinstance(value, list) else value


def findings_in(value: Any) -> Iterator[dict[str, Any]]:
    """Yield each finding of a document."""
    if isinstance(value, dict):
        if "rule" in value:
            yield value
        value = list(value.values())
    for each in value if isinstance(value, list) else []:
        yield from findings_in(each)


@pytest.mark.parametrize("name", ["one_system", "comparison", "open_load", "hostile", "broken"])
def test_json_is_the_document(name: str, tmp_path: Path) -> None:
    result = getattr(sample, name)()
    (file,) = write_report(result, tmp_path / "deep" / "r.json", "json")
    written = msgspec.json.decode(file.read_bytes())
    assert filled(written) == filled(json.loads(json.dumps(msgspec.to_builtins(result))))
    assert [each for each in findings_in(written) if each != filled(each)] == []
    assert json.loads(file.read_text(encoding="utf-8"))["systems"][0]["name"] == result.systems[0].name


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(IgenError, match="cannot write") as caught:
        write_report(sample.one_system(), tmp_path / "file" / "r.json", "json")
    assert "file" in caught.value.where
    assert caught.value.hint


def test_text_needs_neither_charts_nor_numbers() -> None:
    code = (
        "import sys, igen.report; "
        "print([name for name in ('vl_convert', 'numpy', 'scipy') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
