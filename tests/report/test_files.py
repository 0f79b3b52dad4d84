"""Markdown, CSV and JSON, and the files of every format."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from igen.errors import IgenError
from igen.report import write_report
from igen.report.printers.markdown import escape
from report import sample
from report.snapshot import check


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


@pytest.mark.parametrize("name", ["one_system", "comparison", "open_load", "hostile", "broken"])
def test_json_is_the_document(name: str, tmp_path: Path) -> None:
    result = getattr(sample, name)()
    (file,) = write_report(result, tmp_path / "deep" / "r.json", "json")
    assert msgspec.json.decode(file.read_bytes()) == msgspec.to_builtins(result)
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
