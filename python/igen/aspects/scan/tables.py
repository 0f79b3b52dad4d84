"""The published table of table scans: what each query took on each table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from igen.aspects.scan.parts import Scan
from igen.document import Column, Table
from igen.facts import SCAN_CACHE, SCAN_PREDICATE, SCAN_TABLE
from igen.judge.result import Figure, Result, System, aspect
from igen.layout.level import LevelRow, level_rows
from igen.layout.number import ABSENT, column
from igen.units import counted

QUERIES = ("trivial", "complex", "payload")
TABLES = ("ten", "hundred", "thousand", "page")
NOTE = "CPU %: of one processor. MB/s: nominal, with the bytes of a record that were published."


def scan_table(result: Result) -> Table:
    """A row for each table, query, engine and load; no columns for other workloads."""
    found = [(row, scan) for row in level_rows(result) if (scan := aspect(row.level, Scan)) is not None]
    found.sort(key=lambda each: _place(each[0].system))
    rows, scans = [row for row, _ in found], [scan for _, scan in found]
    if not rows:
        return Table([])

    def figures(title: str, of: Callable[[Scan], Figure | None], per: float = 1.0) -> Column:
        values = [None if (estimate := of(scan)) is None else estimate.value / per for scan in scans]
        return Column(title, column(values, most_decimals=4))

    return Table(
        [
            Column("query", [_fact(row.system, SCAN_PREDICATE) for row in rows], "text"),
            Column("table", [_fact(row.system, SCAN_TABLE) for row in rows], "text"),
            *_what_differs(rows),
            figures("scan s", lambda scan: scan.time_s),
            figures("cpu s", lambda scan: scan.cpu_s),
            figures("cpu %", lambda scan: scan.cpu_percent),
            figures("cpu µs/rec", lambda scan: scan.cpu_us_per_record),
            figures("Mrec/s", lambda scan: scan.records_per_s, per=1e6),
            figures("MB/s", lambda scan: scan.bytes_per_s, per=1e6),
        ],
        [NOTE],
    )


def _what_differs(rows: Sequence[LevelRow]) -> list[Column]:
    """Engine, cache and users, where they are not the same in all rows; the cache also where it is cold."""
    columns = {
        "engine": [row.system.targets[0].partition(":")[0] if row.system.targets else ABSENT for row in rows],
        "cache": [_fact(row.system, SCAN_CACHE) for row in rows],
        "load": [ABSENT if row.level.users is None else counted(row.level.users, "user") for row in rows],
    }
    shown = {
        title: cells
        for title, cells in columns.items()
        if len(set(cells)) > 1 or (title == "cache" and cells[0] != "warm")
    }
    return [Column(title, cells, "text") for title, cells in shown.items()]


def _fact(system: System, name: str) -> str:
    return str(system.facts.get(name, ABSENT))


def _place(system: System) -> tuple[int, int, list[str]]:
    """In the order of the published table, engines together."""

    def place(name: str, known: tuple[str, ...]) -> int:
        value = _fact(system, name)
        return known.index(value) if value in known else len(known)

    return place(SCAN_PREDICATE, QUERIES), place(SCAN_TABLE, TABLES), system.targets
