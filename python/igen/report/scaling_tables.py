"""How throughput grows with the number of instances."""

from __future__ import annotations

from igen.document import Column, Table
from igen.judge.curve.scaling import STATEMENTS
from igen.judge.result import System
from igen.layout.number import column, interval, plain, ratio, ratio_interval, significant

OFFERED = "offered"


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
    verdicts = [level.trust.verdict for level in levels]
    columns = [
        Column("instances", [f"{level.instances:,}" for level in levels]),
        Column("users", [f"{level.users or 0:,}" for level in levels]),
        Column(OFFERED, [plain(level.offered_per_s or 0) for level in levels], group="per s"),
        Column("done", [significant(level.throughput_per_s.value, 4) for level in levels], group="per s"),
        Column("95 % interval", [interval(level.throughput_per_s) for level in levels], group="per s"),
        Column(STATEMENTS, column(statements, digits=4, most_decimals=0), group="per s"),
        Column("mean", column([time.mean if time else None for time in times]), group="response time, ms"),
        Column("p99", column([time.p99 if time else None for time in times]), group="response time, ms"),
        Column("X(n) / n X(1)", [ratio(each.efficiency) for each, _ in rows], group="efficiency"),
        Column("95 % interval", [ratio_interval(each.efficiency) for each, _ in rows], group="efficiency"),
        Column("verdict", verdicts, "text", verdicts=verdicts),
    ]
    told = {STATEMENTS: any(statements), OFFERED: any(level.offered_per_s for level in levels)}
    return Table([each for each in columns if told.get(each.title, True)])
