"""What aspects bring to a report: sections, columns, and a result instead of the throughput."""

from __future__ import annotations

from collections.abc import Sequence

from igen.aspects.aspects import ASPECTS
from igen.document import Column
from igen.judge.aspect import Aspect, Place, TableName, Views, speaking
from igen.judge.result import System
from igen.layout.level import LevelRow


def of_aspects(place: Place) -> list[Views]:
    """Return the sections that stand in this place."""
    return [aspect.sections[place] for aspect in ASPECTS if place in aspect.sections]


def columns_of(table: TableName, rows: Sequence[LevelRow]) -> list[Column]:
    """Return the columns of a table of levels."""
    levels = [row.level for row in rows]
    return [
        column for aspect in ASPECTS if table in aspect.columns for column in aspect.columns[table](levels)
    ]


def speaking_for(*systems: System) -> list[Aspect]:
    """Return the aspects that stand for the throughput of these systems."""
    return speaking(ASPECTS, (level for system in systems for level in system.levels))
