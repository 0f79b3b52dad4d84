"""The table of LDAP operations: how many each authentication is made of, counted and as published."""

from __future__ import annotations

from igen.aspects.directory.parts import operations_at
from igen.document import Column, Table
from igen.judge.result import Result
from igen.layout.columns import load_columns, throughput_column
from igen.layout.level import level_rows
from igen.layout.number import column, interval

COUNTED, PUBLISHED = "LDAP operations", "as published"
NOTE = "as published: the authentication itself is counted as one operation more"


def ldap_table(result: Result) -> Table:
    """A row for each level of authentications; no columns for other workloads."""
    found = [(row, operations) for row in level_rows(result) if (operations := operations_at(row.level))]
    if not found:
        return Table([])
    rows, counted = [row for row, _ in found], [operations for _, operations in found]
    return Table(
        [
            *load_columns(result, rows),
            throughput_column(rows),
            Column("each", [f"× {each.each:.3g}" for each in counted], group=COUNTED),
            Column("per s", column([each.per_s.value for each in counted], digits=4), group=COUNTED),
            Column("95 % interval", [interval(each.per_s) for each in counted], group=COUNTED),
            Column("each", [f"× {each.each + 1:.3g}" for each in counted], group=PUBLISHED),
            Column(
                "per s", column([each.published_per_s.value for each in counted], digits=4), group=PUBLISHED
            ),
        ],
        [NOTE],
    )
