"""Several loads at once: a row for each persona of each level."""

from __future__ import annotations

from collections.abc import Iterator

from igen.document import Column, Table
from igen.judge.curve.load import load_key, own_name
from igen.judge.result import Level, Ratio, Result, System
from igen.layout.columns import throughput_column
from igen.layout.level import LevelRow, LoadAxis, is_comparison, level_rows
from igen.layout.number import ABSENT, half_width, ratio, ratio_interval, ratio_level
from igen.report.level_tables import (
    MACHINE_NOTE,
    count_columns,
    machine_columns,
    p99_columns,
    response_columns,
)
from igen.report.ratio_table import figure_columns, outcome

Key = tuple[str, str, object]
"""System, the name of the load, and all loads of the level."""


def loads_table(result: Result) -> Table:
    """What each of them did, and what its load decides by against the base; no columns for one load."""
    found = [*_rows(result)]
    if not found:
        return Table([])
    rows = [row for _, _, row in found]
    axis = LoadAxis.of(result)
    over = Column(axis.title, [axis.short(level) for level, _, _ in found], key=True)
    systems = Column("system", [row.system.name for row in rows], "text", key=True)
    columns = [
        *([over] if any(len(system.levels) > 1 for system in result.systems) else []),
        Column("persona", [name for _, name, _ in found], "text", key=True),
        Column("its load", [_load(row.level) for row in rows], key=True),
        *([systems] if is_comparison(result) else []),
        throughput_column(rows),
        Column("95 %", [half_width(row.level.throughput_per_s) for row in rows], group="throughput"),
        *machine_columns(rows, "throughput", lambda level: level.trust.disturbance.throughput),
        *response_columns(rows),
        *p99_columns(rows),
        *machine_columns(rows, "response time", lambda level: level.trust.disturbance.times),
        *count_columns(rows),
        *(_ratio_columns([row.ratio for row in rows]) if any(row.ratio for row in rows) else []),
    ]
    machine = any(column.title == "machine" for column in columns)
    return Table(columns, [MACHINE_NOTE] if machine else [])


def _load(level: Level) -> str:
    """`10 users`, `20/s`; of a paced load both: `10 users, 20/s`."""
    paced = level.users is not None and level.offered_per_s is not None and "paced" in level.load
    return f"{own_name(level)}, {level.offered_per_s:,.6g}/s" if paced else own_name(level)


def _rows(result: Result) -> Iterator[tuple[Level, str, LevelRow]]:
    """The level, the name of one of its loads, and the row of that load's own level."""
    ratios = _ratios(result)
    rows = level_rows(result)
    for name in dict.fromkeys(name for row in rows for name in row.level.loads):
        for row in rows:
            if (part := row.level.loads.get(name)) is not None:
                key = row.system.name, name, load_key(row.level)
                yield row.level, name, LevelRow(row.system, part, ratios.get(key))


def _ratios(result: Result) -> dict[Key, Ratio]:
    """What each load decides by; a ratio names the level of its base."""
    by_name = {system.name: system for system in result.systems}
    return {
        (each.system, each.load, load_key(_level(by_name[each.base], each.level))): each
        for each in result.ratios
        if each.load and each.decides
    }


def _level(system: System, number: int) -> Level:
    return next(level for level in system.levels if level.level == number)


def _compared(ratio: Ratio | None) -> str:
    """Return the quantity with the unit of its figures."""
    if ratio is None:
        return ABSENT
    return f"{ratio.quantity}, {'per s' if ratio.quantity == 'throughput' else 'ms'}"


def _ratio_columns(ratios: list[Ratio | None]) -> list[Column]:
    group = "against the base"
    return [
        Column("compared", [_compared(each) for each in ratios], "text", group=group),
        *figure_columns(ratios, group),
        Column("ratio", [ratio(each.shown if each else None) for each in ratios], group=group),
        Column("interval", [ratio_interval(each.shown if each else None) for each in ratios], group=group),
        Column("level", [ratio_level(each.shown if each else None) for each in ratios], group=group),
        Column("outcome", [outcome(each) if each else ABSENT for each in ratios], "text", group=group),
    ]
