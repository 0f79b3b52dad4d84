"""Whether the targets of a level are alike."""

from __future__ import annotations

from statistics import median

from igen.aspects.targets.parts import TargetResult, targets_at
from igen.document import Column, Table
from igen.judge.result import Level, Result
from igen.layout.level import LoadAxis, is_comparison
from igen.layout.number import column, interval


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
