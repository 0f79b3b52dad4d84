"""The table of ratios: each with the two figures that it divides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from igen.document import Column, Table
from igen.judge.result import Answer, OverallRatio, Quantity, Ratio, Result
from igen.layout.columns import load_columns
from igen.layout.level import LevelRow, LoadAxis, level_rows
from igen.layout.number import ABSENT, column, ratio, ratio_interval, ratio_level, time_unit
from igen.loads import P999

SIGNS: Mapping[Answer, str] = {"faster": "", "slower": "", "equivalent": "=", "cannot tell": "~"}
"""Before a ratio that is no difference."""
SIGNS_NOTE = "~ cannot be told apart in this quantity, = equivalent in it"
APART_NOTE = "cannot tell next to an interval that leaves out 1: disturbance may be the whole difference"
FIGURES_NOTE = (
    "system, base: the figures that the ratio divides, geometric means of the runs that are compared. A run "
    "without a partner is not among them, and who was executed first is allowed for"
)


def outcome(each: Ratio | OverallRatio) -> str:
    """Return the answer; two systems that are apart in another quantity are equivalent in part."""
    return "equivalent in part" if each.apart else each.answer


def one_base(result: Result) -> str | None:
    """Return the system that all others are compared with; None if there are several."""
    bases = {ratio.base for ratio in result.ratios}
    return bases.pop() if len(bases) == 1 else None


def ratio_table(result: Result) -> Table:
    """Return figures and ratios by quantity, and the answer: a row for each load with a known ratio.

    p99.9 is there only if it differs at a load.
    """
    axis = LoadAxis.of(result)
    found: dict[Quantity, dict[tuple[str, float], Ratio]] = {}
    differing = {each.quantity for each in result.ratios if each.answer in ("faster", "slower")}
    for each in result.ratios:
        is_shown = each.quantity != P999 or P999 in differing
        if is_shown and not (each.decides or each.restates_throughput or each.load):
            found.setdefault(each.quantity, {})[each.system, axis.value(each)] = each

    def is_known(row: LevelRow) -> bool:
        place = (row.system.name, axis.value(row.level))
        return any(each and each.shown for each in (row.ratio, *(of.get(place) for of in found.values())))

    rows = [row for row in level_rows(result) if row.ratio is not None and is_known(row)]
    decided = [row.ratio for row in rows]
    beside = [
        [ratios.get((row.system.name, axis.value(row.level))) for row in rows] for ratios in found.values()
    ]
    columns = [
        *load_columns(result, rows),
        *([Column("against", _bases(decided), "text")] if one_base(result) is None else []),
        *_of_quantity(decided),
        *(one for ratios in beside for one in _of_quantity(ratios, signed=True)),
        Column("outcome", [outcome(each) if each else ABSENT for each in decided], "text"),
    ]
    signed = any(each and each.shown and SIGNS[each.answer] for ratios in beside for each in ratios)
    apart = any(each and each.is_left_open for each in decided)
    return Table(columns, [SIGNS_NOTE] * signed + [APART_NOTE] * apart + [FIGURES_NOTE])


def figure_columns(ratios: Sequence[Ratio | None], group: str, per_unit: float = 1.0) -> list[Column]:
    """Return the figures that the ratios divide; none of a level that is INVALID."""
    shown = [each if each and each.shown else None for each in ratios]
    figures = [per_unit * each.figure if each else None for each in shown]
    of_base = [per_unit * each.base_figure if each else None for each in shown]
    cells = column([*figures, *of_base], digits=4)
    return [
        Column("system", cells[: len(shown)], group=group),
        Column("base", cells[len(shown) :], group=group),
    ]


def _of_quantity(ratios: Sequence[Ratio | None], *, signed: bool = False) -> list[Column]:
    """Return figures, ratio and interval of one quantity; `signed`: the answer instead of the interval."""
    known = [each for each in ratios if each is not None]
    if not known:
        return []
    quantity, unit, per_unit = known[0].quantity, "per s", 1.0
    if quantity != "throughput":
        unit, per_unit = time_unit(one for each in known for one in (each.figure, each.base_figure))
    shown = [each.shown if each else None for each in ratios]
    signs = [SIGNS[each.answer] if each and each.shown and signed else "" for each in ratios]
    values = [f"{sign}{ratio(each)}" for sign, each in zip(signs, shown, strict=True)]
    columns = [
        *figure_columns(ratios, f"{quantity}, {unit}", per_unit),
        Column("ratio", values, group=quantity),
    ]
    if not signed:
        columns.append(Column("interval", [ratio_interval(each) for each in shown], group=quantity))
        columns.append(Column("level", [ratio_level(each) for each in shown], group=quantity))
    return columns


def _bases(ratios: Sequence[Ratio | None]) -> list[str]:
    return [each.base if each else ABSENT for each in ratios]
