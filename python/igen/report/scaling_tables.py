"""The tables of several targets: how throughput grows with their number, and whether they are alike."""

from __future__ import annotations

from statistics import median

from igen.aspects.targets.parts import TargetResult, targets_at
from igen.document import Column, Table
from igen.judge.result import Level, Result, System
from igen.judge.wording import STATEMENTS
from igen.report.level import LoadAxis, is_comparison
from igen.report.number import column, interval, plain, ratio, ratio_interval


def scaling_table(system: System) -> Table:
    """A row for each number of instances; no columns for a system that is no curve along them."""
    by_number = {level.level: level for level in system.levels}
    rows = [(each, by_number[each.level]) for each in system.scaling]
    if not rows:
        return Table([])
    levels = [level for _, level in rows]
    statements = [
        level.counters[STATEMENTS].per_s if STATEMENTS in level.counters else None for level in levels
    ]
    times = [level.response_time_ms for level in levels]
    columns = [
        Column("instances", [f"{level.instances:,}" for level in levels]),
        Column("users", [f"{level.users or 0:,}" for level in levels]),
        Column("offered", [plain(level.offered_per_s or 0) for level in levels], group="per s"),
        Column("done", column([level.throughput_per_s.value for level in levels], digits=4), group="per s"),
        Column("95 % interval", [interval(level.throughput_per_s) for level in levels], group="per s"),
        Column(STATEMENTS, column(statements, digits=4, most_decimals=0), group="per s"),
        Column("mean", column([time.mean if time else None for time in times]), group="response time, ms"),
        Column("p99", column([time.p99 if time else None for time in times]), group="response time, ms"),
        Column("X(n) / n X(1)", [ratio(each.efficiency) for each, _ in rows], group="efficiency"),
        Column("95 % interval", [ratio_interval(each.efficiency) for each, _ in rows], group="efficiency"),
        Column("verdict", [level.verdict for level in levels], "verdict"),
    ]
    return Table(columns if any(statements) else [each for each in columns if each.title != STATEMENTS])


def targets_table(level: Level) -> Table:
    """Each target of one level; no columns where there is one."""
    targets = targets_at(level)
    times = [target.response_time_ms for target in targets]
    columns = [
        Column("target", [target.target for target in targets], "text"),
        Column("share, %", column([100 * target.share for target in targets], digits=2, most_decimals=1)),
        Column("errors", [f"{target.errors:,}" for target in targets]),
        Column("per s", column([target.throughput_per_s.value for target in targets], digits=4)),
        Column("95 % interval", [interval(target.throughput_per_s) for target in targets]),
    ]
    columns += [
        Column(
            name, column([getattr(time, name) if time else None for time in times]), group="response time, ms"
        )
        for name in ("mean", "p50", "p95", "p99")
    ]
    return Table(columns if targets else [])


def spread_table(result: Result) -> Table:
    """The slowest, the median and the fastest target of each level; no columns where there is one."""
    axis = LoadAxis.of(result)
    rows = [(system, level) for system in result.systems for level in system.levels if targets_at(level)]
    rates = [_ends([target.throughput_per_s.value for target in targets_at(level)]) for _, level in rows]
    means = [_ends(_means_ms(targets_at(level))) for _, level in rows]
    columns = [
        Column(axis.title, [axis.short(level) for _, level in rows]),
        Column("targets", [f"{len(targets_at(level)):,}" for _, level in rows]),
    ]
    if is_comparison(result):
        columns.append(Column("system", [system.name for system, _ in rows], "text"))
    for group, of in (("per s of a target", rates), ("mean response time of a target, ms", means)):
        columns += [
            Column(name, column([ends[place] for ends in of], digits=4), group=group)
            for place, name in enumerate(("lowest", "median", "highest"))
        ]
    return Table(columns if rows else [])


def _means_ms(targets: list[TargetResult]) -> list[float]:
    return [target.response_time_ms.mean for target in targets if target.response_time_ms]


def _ends(values: list[float]) -> tuple[float | None, float | None, float | None]:
    """Lowest, median and highest."""
    return (min(values), median(values), max(values)) if values else (None, None, None)
