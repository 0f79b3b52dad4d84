"""The table of the log."""

from __future__ import annotations

from dataclasses import replace

from igen.aspects.durability.parts import Durability, Log
from igen.aspects.durability.tables import IMAGES_NOTE, log_table
from igen.document import Table
from igen.judge.result import Result
from report import sample
from report.shown import every_format

ONE = Log(writes_per_s=1300, flushes_per_s=1300, bytes_per_transaction=540, transactions_per_flush=1)


def counted(*logs: Log | None) -> Result:
    result = sample.one_system()
    (system,) = result.systems
    levels = [
        replace(level, aspects=[Durability(log=log, stored=None)])
        for level, log in zip(system.levels, logs, strict=False)
    ]
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
    assert not table.notes
    assert log_table(counted(None)).columns == []


def test_full_page_images_are_explained_where_there_are_any() -> None:
    table = log_table(counted(replace(ONE, full_page_images_per_transaction=0.25)))
    assert cells(table)["log full-page images, per transaction"] == ["0.250"]
    assert table.notes == [IMAGES_NOTE]


def test_every_format_shows_it() -> None:
    result = counted(replace(ONE, flushes_per_s=1234.0))
    assert all("1,234" in text for text in every_format(result))
