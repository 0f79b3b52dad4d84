"""The tests of a study: one ratio for each of them, and each of them load by load."""

from __future__ import annotations

from collections.abc import Iterator

from igen.document import Column, Table
from igen.judge.result import Level, OverallRatio, Ratio, Result, System
from igen.judge.trust.rules import GRAVITY
from igen.layout.level import LoadAxis
from igen.layout.number import column, ratio, ratio_interval, ratio_level
from igen.report.pair import of_tests
from igen.report.ratio_table import outcome


def overall_table(result: Result) -> Table:
    """A row for each test and pair of systems, with what was published of the same test beside it."""
    rows = of_tests(result)
    products = dict.fromkeys(product for row in rows for product in row.published)
    pairs = [f"{row.system} against {row.base}" for row in rows]
    columns = [
        Column("test", [row.test for row in rows], "text"),
        Column("", [row.title for row in rows], "text"),
        Column("loads", [str(row.loads) for row in rows]),
        *([Column("systems", pairs, "text")] if len({*pairs}) > 1 else []),
        Column("ratio", [ratio(row.ratio) for row in rows], group=_pair(rows)),
        Column("interval", [ratio_interval(row.ratio) for row in rows], group=_pair(rows)),
        Column("level", [ratio_level(row.ratio) for row in rows], group=_pair(rows)),
        Column("outcome", [outcome(row) for row in rows], "text", group=_pair(rows)),
        *(
            Column(product, column([row.published.get(product) for row in rows]), group="published")
            for product in products
        ),
    ]
    return Table(columns if rows else [])


def _pair(rows: list[OverallRatio]) -> str:
    pairs = {(row.system, row.base) for row in rows}
    return " against ".join(next(iter(pairs))) if len(pairs) == 1 else "mean over the loads"


def tables_by_test(result: Result) -> Iterator[tuple[str, Table]]:
    """Title and table of each test and pair of systems, a row for each load that both had."""
    by_name = {system.name: system for system in result.systems}
    for system in result.systems:
        ratios = [each for each in result.ratios if each.system == system.name and each.decides]
        if system.test and ratios:
            title = f"{system.test}: {system.test_title}" if system.test_title else system.test
            yield title, _table(LoadAxis.of(result), by_name[ratios[0].base], system, ratios)


def _table(axis: LoadAxis, base: System, system: System, ratios: list[Ratio]) -> Table:
    ratios = sorted(ratios, key=axis.value)
    found = [[_level(each, ratio, axis) for ratio in ratios] for each in (base, system)]
    values = [[ratio.base_figure for ratio in ratios], [ratio.figure for ratio in ratios]]
    verdicts = [
        max((level.trust.verdict for level in both), key=GRAVITY.index) for both in zip(*found, strict=True)
    ]
    pair = f"{system.system} against {base.system}"
    columns = [Column(axis.title, [axis.short(each) for each in ratios])]
    of_throughput = ratios[0].quantity == "throughput"
    for each, figures in zip((base, system), values, strict=True):
        unit = f"{each.transaction} per s" if of_throughput else f"{ratios[0].quantity}, ms"
        statistic = "median" if "median" in each.value else "mean"
        columns.append(Column(statistic, column(figures, digits=4), group=f"{each.system}, {unit}"))
    return Table(
        [
            *columns,
            Column(
                "difference",
                column([b - a for a, b in zip(*values, strict=True)], most_decimals=1),
                group=pair,
            ),
            Column("ratio", [ratio(each.ratio) for each in ratios], group=pair),
            Column("interval", [ratio_interval(each.ratio) for each in ratios], group=pair),
            Column("level", [ratio_level(each.ratio) for each in ratios], group=pair),
            Column("outcome", [outcome(each) for each in ratios], "text", group=pair),
            Column("verdict", verdicts, "text", verdicts=verdicts),
        ]
    )


def _level(system: System, ratio: Ratio, axis: LoadAxis) -> Level:
    return next(level for level in system.levels if axis.value(level) == axis.value(ratio))
