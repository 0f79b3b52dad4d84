"""What each target was at the beginning of a run of many hours, and what it has become."""

from __future__ import annotations

from collections.abc import Callable

from igen.aspects.torture.parts import Torture, TortureTarget
from igen.document import Column, Table
from igen.judge.result import Result, aspect
from igen.layout.number import column
from igen.units import counted, format_duration

RATES, TIMES = "I/Os, per s", "mean response time, ms"


def torture_table(result: Result) -> Table:
    """A row for each target; no columns for other runs. Incidents stand below."""
    tortures = [found for system in result.systems if (found := aspect(system, Torture))]
    targets = [target for torture in tortures for target in torture.targets]
    if not targets:
        return Table([])

    def values(title: str, of: Callable[[TortureTarget], float | None], group: str) -> Column:
        return Column(title, column([of(target) for target in targets], digits=4), group=group)

    columns = [
        Column("target", [target.target for target in targets], "text"),
        Column("segments", [f"{target.segments:,}" for target in targets]),
        values("beginning", lambda target: target.begin_per_s, RATES),
        values("last", lambda target: target.last_per_s, RATES),
        values("least", lambda target: target.least_per_s, RATES),
        values("beginning", lambda target: target.begin_ms, TIMES),
        values("last", lambda target: target.last_ms, TIMES),
        Column("failed", [f"{target.failed:,}" for target in targets]),
        Column("state", [target.state for target in targets], "text"),
    ]
    heads = [
        f"{counted(torture.segments, 'segment')}, {format_duration(torture.under_load_s)} under load, "
        "all that was written verified after each"
        for torture in tortures
    ]
    return Table(columns, [*heads, *(each.text for torture in tortures for each in torture.incidents)])
