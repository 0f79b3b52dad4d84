"""The servers as they see themselves: a line for each level, and what sessions waited for."""

from __future__ import annotations

from collections.abc import Callable

from igen.aspects.server.parts import Server
from igen.document import Column, Table
from igen.judge.result import Figure, Level, Result, aspect
from igen.layout.columns import load_columns
from igen.layout.level import level_rows
from igen.layout.number import ABSENT, column
from igen.units import counted

MOST_WAITS = 5
PROCESSES = "processes of the server"
BAR_SIGNS = 24
"""Length of the bar of 100 %."""


def server_table(result: Result) -> Table:
    """What the servers counted and used, of the levels with a monitor of servers."""
    found = [(row, server) for row in level_rows(result) if (server := aspect(row.level, Server)) is not None]
    rows, servers = [row for row, _ in found], [server for _, server in found]

    def values(
        title: str, of: Callable[[Server], float | None], *, group: str = "", decimals: int = 3
    ) -> Column:
        return Column(title, column([of(each) for each in servers], most_decimals=decimals), group=group)

    def megabytes(value: float | None) -> float | None:
        return None if value is None else value / 1e6

    columns = [
        *load_columns(result, rows),
        Column("most of the time", [_first(each) for each in servers], "text"),
        values("commits", lambda each: each.commits_per_s, group="per s", decimals=1),
        values("rollbacks", lambda each: each.rollbacks_per_s, group="per s", decimals=1),
        values("lock waits", lambda each: each.lock_waits_per_s, group="per s", decimals=1),
        values("cache hits, %", lambda each: each.cache_hit_percent, decimals=1),
        values("checkpoints", lambda each: each.checkpoints, decimals=0),
        values("deadlocks", lambda each: each.deadlocks, decimals=0),
        values("active sessions", lambda each: each.active_sessions, decimals=1),
        values("CPU %", lambda each: each.cpu_percent, group=PROCESSES, decimals=1),
        values("CPU, µs/tx", lambda each: each.cpu_us_per_transaction, group=PROCESSES, decimals=0),
        values("read, MB/s", lambda each: megabytes(each.read_bytes_per_s), group=PROCESSES, decimals=2),
    ]
    keep = [column for column in columns if any(cell != ABSENT for cell in column.cells)]
    return Table(keep if rows else [])


def _first(server: Server) -> str:
    """`log flush 61 %`."""
    if not server.kinds:
        return ABSENT
    first = server.kinds[0]
    return f"{first.kind} {100 * first.share.value:.0f} %"


def waits_table(level: Level) -> Table:
    """What sessions did or waited for at one level, the five largest parts, as bars too."""
    server = aspect(level, Server)
    if server is None or not server.waits:
        return Table([])
    waits = server.waits[:MOST_WAITS]
    return Table(
        [
            Column("share of the time", [f"{100 * wait.share.value:.1f} %" for wait in waits]),
            Column("", [_bar(wait.share.value) for wait in waits], "text"),
            Column("95 % interval", [_interval(wait.share) for wait in waits]),
            Column("what", [wait.kind for wait in waits], "text"),
            Column("event", [wait.event for wait in waits], "text"),
            Column("on", [wait.relation or ABSENT for wait in waits], "text"),
            Column("told by", [wait.told_by or ABSENT for wait in waits], "text"),
            Column("samples", [f"{wait.samples:,}" for wait in waits]),
        ],
        notes=[
            f"of {counted(server.session_samples, 'sample')} of sessions in a transaction at "
            f"{counted(server.moments, 'moment')}"
        ],
    )


def _interval(share: Figure) -> str:
    low, high = share.ends() or (0.0, 1.0)
    return f"{100 * low:.0f} to {100 * high:.0f} %"


def _bar(share: float) -> str:
    """A bar of whole and half signs."""
    halves = round(2 * BAR_SIGNS * share)
    return "█" * (halves // 2) + "▌" * (halves % 2)
