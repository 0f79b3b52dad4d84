"""The points of a curve: peak, sweet spot and knee of each system."""

from __future__ import annotations

from igen.document import Column, Table
from igen.judge.result import Point, Result
from igen.layout.columns import throughput_column
from igen.layout.level import LoadAxis, is_comparison, level_rows, points
from igen.layout.number import interval
from igen.layout.short_names import short_names
from igen.report.level_tables import response_columns
from igen.say import say
from igen.text import Text
from igen.units import counted


def points_table(result: Result) -> Table:
    """Peak, sweet spot and knee of each system."""
    axis = LoadAxis.of(result)
    levels = level_rows(result)
    # The figures of a point are the figures of its level: so are the cells.
    place = {(row.system.name, row.level.level): number for number, row in enumerate(levels)}
    rows = [
        (system, name, point)
        for system in result.systems
        for name, point in points(system)
        if (system.name, point.level) in place
    ]
    of = [place[system.name, point.level] for system, _, point in rows]
    rate, mean = throughput_column(levels), response_columns(levels)[0]
    columns = [
        Column("point", [name for _, name, _ in rows], "text", key=True),
        Column(axis.title, [axis.short(point) for *_, point in rows]),
        Column("per s", [rate.cells[each] for each in of]),
        Column("95 % interval", [interval(point.throughput_per_s) for *_, point in rows]),
        Column("mean", [mean.cells[each] for each in of], group=mean.group),
        Column("from", [_origin(point) for *_, point in rows], "text"),
    ]
    if is_comparison(result):
        short = short_names(result)
        columns.insert(0, Column("system", [short[system.name] for system, *_ in rows], "text", key=True))
    return Table(columns if rows else [], _unnamed(result))


def _unnamed(result: Result) -> list[Text]:
    """Why a point is missing where a reader would look for it."""
    several, short = is_comparison(result), short_names(result)
    return [
        Text.of(f"{f'{short[system.name]}: ' if several else ''}no {name} is named: ", say(why))
        for system in result.systems
        for name, why in system.unnamed.items()
    ]


def _origin(point: Point) -> str:
    runs = counted(point.throughput_per_s.n, "confirmation run" if point.confirmed else "run")
    return runs if point.confirmed else f"{runs}, not confirmed"
