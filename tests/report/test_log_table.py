"""The table of the log."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from igen.analysis.result import Log, Result
from igen.report import write_report
from igen.report.html.results import levels_section
from igen.report.log_table import IMAGES_NOTE, log_table
from igen.report.table import Table
from igen.report.terminal import Terminal
from igen.report.text import summary_text
from report import sample

ONE = Log(writes_per_s=1300, flushes_per_s=1300, bytes_per_transaction=540, transactions_per_flush=1)


def counted(*logs: Log | None) -> Result:
    result = sample.one_system()
    (system,) = result.systems
    levels = [replace(level, log=log) for level, log in zip(system.levels, logs, strict=False)]
    return replace(result, systems=[replace(system, levels=levels)])


def cells(table: Table) -> dict[str, list[str]]:
    return {column.full_title: list(column.cells) for column in table.columns}


def test_a_row_for_each_level_that_was_counted() -> None:
    many = replace(ONE, flushes_per_s=1450, transactions_per_flush=3.7)
    table = log_table(counted(ONE, None, many))
    found = cells(table)
    assert found["users"] == ["1", "4"]
    assert found["transactions per flush"] == ["1.00", "3.70"]
    assert found["log flushes, per s"] == ["1,300", "1,450"]
    assert table.notes == []
    assert log_table(counted(None)).columns == []


def test_full_page_images_are_explained_where_there_are_any() -> None:
    table = log_table(counted(replace(ONE, full_page_images_per_transaction=0.25)))
    assert cells(table)["log full-page images, per transaction"] == ["0.250"]
    assert table.notes == [IMAGES_NOTE]


def test_every_format_shows_it(tmp_path: Path) -> None:
    result = counted(replace(ONE, flushes_per_s=1234.0))
    markdown = write_report(result, tmp_path / "r.md", "markdown")[0].read_text(encoding="utf-8")
    shown = (summary_text(result, terminal=Terminal(width=100)), levels_section(result), markdown)
    assert all("1,234" in text for text in shown)
