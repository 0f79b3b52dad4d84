"""The table of the parts of a ratio: a row for the whole and for each factor, load by load."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from igen.document import Column, Table
from igen.judge.figure.figure import Figure
from igen.judge.result import Attribution, Level, Result
from igen.layout.level import LoadAxis
from igen.layout.number import plain, ratio, ratio_interval

NOTE = "The ratios of the factors multiply to the whole; each interval is that of one ratio alone"
INTERACTION_NOTE = (
    "interaction: how much larger the ratio of a factor is with the other factor changed; 1 if they act "
    "independently"
)
PER_UNIT_NOTE = "per thread, GHz, watt, rack unit or price: the whole divided by the ratio of the amounts"


@dataclass(frozen=True, slots=True)
class _Row:
    at: Level
    test: str
    load: str
    part: str
    change: str
    ratio: Figure
    outcome: str = ""


def attribution_table(result: Result) -> Table | None:
    """Return the parts of all ratios; None if no systems form a 2 × 2 or a chain."""
    rows = [row for each in result.attributions for row in _rows(result, each)]
    if not rows:
        return None
    axis = LoadAxis.of(result)
    several_tests = len({row.test for row in rows}) > 1
    columns = [
        *([Column("test", [row.test for row in rows], "text", key=True)] if several_tests else []),
        Column(axis.title, [axis.short(row.at) for row in rows], key=True),
        *([Column("load", [row.load for row in rows], "text")] if any(row.load for row in rows) else []),
        Column("part", [row.part for row in rows], "text"),
        Column("change", [row.change for row in rows], "text"),
        Column("ratio", [ratio(row.ratio) for row in rows]),
        Column("95 % of ratio", [ratio_interval(row.ratio) for row in rows]),
    ]
    if any(row.outcome for row in rows):
        columns.append(Column("outcome", [row.outcome for row in rows], "text"))
    interact = any(each.interaction for each in result.attributions)
    per_unit = any(each.per_unit for each in result.attributions)
    return Table(columns, [NOTE] + [INTERACTION_NOTE] * interact + [PER_UNIT_NOTE] * per_unit)


def _rows(result: Result, each: Attribution) -> Iterator[_Row]:
    base = next(one for one in result.systems if (one.test, one.name) == (each.test, each.base))
    at = next(level for level in base.levels if level.level == each.level)

    def row(part: str, change: str, figure: Figure, outcome: str = "") -> _Row:
        return _Row(at, each.test, each.load, part, change, figure, outcome)

    yield row("whole", f"{each.base} → {each.system}", each.ratio)
    for part in each.parts:
        first, *others = part.changes
        more = f" and {len(others)} more" if others else ""
        name = f"{first.name}: " if others else ""
        yield row(part.name, f"{name}{first.of_base} → {first.of_system}{more}", part.ratio)
        for step in part.steps if len(part.steps) > 1 else []:
            yield row(f"{part.name}, step", f"{step.base} → {step.system}", step.ratio)
    if each.interaction is not None:
        yield row("interaction", "", each.interaction.ratio, each.interaction.answer)
    for unit in each.per_unit:
        amounts = f"{plain(unit.of_base)} → {plain(unit.of_system)}"
        yield row(f"whole per {unit.unit}", amounts, unit.ratio)
