"""The table of the log: how many transactions share a flush, and what each writes."""

from __future__ import annotations

from igen.aspects.durability.parts import log_at
from igen.document import Column, Table
from igen.judge.result import Result
from igen.layout.columns import load_columns, throughput_column
from igen.layout.level import level_rows
from igen.layout.number import column

IMAGES_NOTE = (
    "full-page images: copies of whole pages, which PostgreSQL writes when it first changes a page after a "
    "checkpoint; they are in the bytes per transaction"
)


def log_table(result: Result) -> Table:
    """A row for each level whose log was counted; no columns where none was."""
    found = [(row, log) for row in level_rows(result) if (log := log_at(row.level)) is not None]
    if not found:
        return Table([])
    rows, logs = [row for row, _ in found], [log for _, log in found]
    images = [log.full_page_images_per_transaction for log in logs]
    columns = [
        *load_columns(result, rows),
        throughput_column(rows),
        Column("writes", column([log.writes_per_s for log in logs], digits=4), group="log, per s"),
        Column("flushes", column([log.flushes_per_s for log in logs], digits=4), group="log, per s"),
        Column("transactions per flush", column([log.transactions_per_flush for log in logs])),
        Column("bytes", column([log.bytes_per_transaction for log in logs]), group="log, per transaction"),
    ]
    if all(each is None for each in images):
        return Table(columns)
    columns.append(Column("full-page images", column(images), group="log, per transaction"))
    return Table(columns, [IMAGES_NOTE])
