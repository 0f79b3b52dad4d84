"""The columns with which every table of levels begins."""

from __future__ import annotations

from collections.abc import Sequence

from igen.document import Column
from igen.judge.result import Result
from igen.layout.level import LevelRow, LoadAxis, is_comparison
from igen.layout.number import significant
from igen.layout.short_names import short_names


def load_columns(result: Result, rows: Sequence[LevelRow]) -> list[Column]:
    """What tells the rows apart: the load and, where there are several, the system and its instances."""
    axis = LoadAxis.of(result)
    columns = [Column(axis.title, [axis.short(row.level) for row in rows], key=True)]
    if any(row.system.scaling for row in rows):
        columns.append(Column("instances", [f"{row.level.instances:,}" for row in rows], key=True))
    if is_comparison(result):
        short = short_names(result)
        columns.append(Column("system", [short[row.system.name] for row in rows], "text", key=True))
    return columns


def throughput_column(rows: Sequence[LevelRow]) -> Column:
    """Return the throughput alone; its interval stands beside it.

    Each cell has the digits that the figure has in sentences, so that one fact is one number.
    """
    return Column(
        "per s", [significant(row.level.throughput_per_s.value, 4) for row in rows], group="throughput"
    )
