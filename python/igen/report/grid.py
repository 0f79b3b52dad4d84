"""Systems that differ in two settings, as the cells of a grid: block size × depth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

from igen.aspects.aspects import ASPECTS
from igen.document import Cells, Picture
from igen.judge.aspect import Aspect
from igen.judge.record.settings import settings_of
from igen.judge.result import Level, Result
from igen.layout.level import best_level
from igen.layout.number import significant
from igen.layout.short_names import quantity_text
from igen.report.aspects import speaking_for
from igen.units import format_bytes


@dataclass(frozen=True, slots=True)
class Grid:
    """What differs, and the best level of each system by the values of both settings."""

    row_title: str
    column_title: str
    rows: list[Any]
    columns: list[Any]
    cells: dict[tuple[Any, Any], Level]
    transaction: str

    @classmethod
    def of(cls, result: Result) -> Grid | None:
        """None unless the systems differ in two settings that are no lists, and fill two rows and columns.

        A system without a level of which anything may be said leaves its cell empty.
        """
        settings = [settings_of(system.job) for system in result.systems]
        paths = [
            path
            for path in dict.fromkeys(path for each in settings for path in each)
            if any(each.get(path) != settings[0].get(path) for each in settings)
        ]
        if len(paths) != 2 or any(isinstance(each.get(path), list) for each in settings for path in paths):
            return None
        row, column = paths
        rows, columns = (_ordered([each.get(path) for each in settings]) for path in paths)
        places = [(each.get(row), each.get(column)) for each in settings]
        if min(len(rows), len(columns)) < 2 or sorted(map(repr, places)) != sorted(
            map(repr, product(rows, columns))
        ):
            return None
        cells = {
            place: level
            for place, system in zip(places, result.systems, strict=True)
            if (level := best_level(system)) is not None
        }
        titles = [path.rpartition(".")[2] for path in paths]
        return cls(titles[0], titles[1], rows, columns, cells, result.systems[0].transaction)

    def measures(self) -> list[tuple[str, Callable[[Level], float | None]]]:
        """Titles and values of what can be shown of every cell."""
        found: list[tuple[str, Callable[[Level], float | None]]] = [
            (f"{self.transaction}/s", lambda level: level.throughput_per_s.value),
        ]
        for aspect in ASPECTS:
            titles = dict.fromkeys(title for level in self.cells.values() for title in aspect.figures(level))
            found += [(title, partial(_figure, aspect, title)) for title in titles]
        return [*found, ("p99 response time, ms", _p99_ms)]


def grid_pictures(result: Result) -> list[Picture]:
    """A picture for each measure; none if the systems make no grid, or an aspect stands for
    the throughput."""
    grid = Grid.of(result)
    if grid is None or speaking_for(*result.systems):
        return []
    pictures = []
    for number, (title, of) in enumerate(grid.measures(), start=1):
        values = [
            (
                setting_text(grid.row_title, row),
                setting_text(grid.column_title, column),
                value,
                significant(value),
            )
            for (row, column), level in grid.cells.items()
            if (value := of(level))
        ]
        if values:
            said = "; ".join(
                f"{grid.row_title} {row}, {grid.column_title} {column}: {text}"
                for row, column, _, text in values
            )
            chart = Cells(
                grid.column_title,
                grid.row_title,
                [setting_text(grid.column_title, value) for value in grid.columns],
                [setting_text(grid.row_title, value) for value in grid.rows],
                values,
            )
            pictures.append(Picture(f"grid-{number}", title, f"{title}: {said}.", chart))
    return pictures


def _figure(aspect: Aspect, title: str, level: Level) -> float | None:
    return aspect.figures(level).get(title)


def _p99_ms(level: Level) -> float | None:
    return level.response_time_ms.p99 if level.response_time_ms else None


def setting_text(title: str, value: Any) -> str:
    """A size in the unit that reads best, all else as it is written."""
    size = isinstance(value, int) and (title == "block" or title.endswith("_bytes"))
    return format_bytes(value) if size else quantity_text(value)


def _ordered(values: list[Any]) -> list[Any]:
    distinct = list(dict.fromkeys(values))
    return sorted(distinct) if all(isinstance(value, int | float) for value in distinct) else distinct
