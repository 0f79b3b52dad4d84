"""The table of failures: how many transactions of which level failed, in which step and why."""

from __future__ import annotations

from igen.document import Column, Table
from igen.judge.result import Result
from igen.layout.columns import load_columns
from igen.layout.level import level_rows
from igen.layout.number import ABSENT, column


def failures_table(result: Result) -> Table:
    """A row for each level and reason, those of one step together; no columns where nothing failed."""
    found = [
        (row, each.step, each.text, each.count)
        for row in level_rows(result)
        for each in sorted(row.level.failures, key=lambda each: each.step)
    ]
    if not found:
        return Table([])
    rows = [row for row, *_ in found]
    errors = [max(row.level.errors, count) for row, _, _, count in found]
    steps = [step or ABSENT for _, step, _, _ in found]
    shares = [100 * count / all_errors for (*_, count), all_errors in zip(found, errors, strict=True)]
    return Table(
        [
            *load_columns(result, rows),
            *([Column("step", steps, "text")] if any(step != ABSENT for step in steps) else []),
            Column("reason", [reason for _, _, reason, _ in found], "text"),
            Column("errors", [f"{count:,}" for *_, count in found]),
            Column("% of errors", column(shares, digits=3, most_decimals=1)),
        ]
    )
