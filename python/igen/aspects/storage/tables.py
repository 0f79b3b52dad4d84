"""What each level of `io` moved, and what an I/O cost the processor and the plug."""

from __future__ import annotations

from igen.aspects.power.parts import Merit
from igen.aspects.published.parts import published_beside
from igen.aspects.published.reference import PublishedIo
from igen.document import Column, Table
from igen.judge.result import Level, Result, System, aspect
from igen.layout.columns import load_columns
from igen.layout.level import best_level, level_rows
from igen.layout.number import ABSENT, column

BYTES = ("read_bytes", "written_bytes")
"""Counters that make megabytes a second."""
NOTE = "CPU µs: of the load process with the kernel's workers for it, by I/O. MB: a million bytes."


def storage_table(result: Result) -> Table:
    """A row for each level; no columns for other workloads."""
    rows = [row for row in level_rows(result) if row.system.workload == "io"]
    if not rows:
        return Table([])
    levels = [row.level for row in rows]
    columns = [
        *load_columns(result, rows),
        *(
            Column(
                name.removesuffix("_bytes"), column([_per_s(level, name) for level in levels]), group="MB/s"
            )
            for name in BYTES
        ),
        Column("both", column([megabytes_per_s(level) for level in levels]), group="MB/s"),
        Column("CPU µs", column([level.resources_per_transaction.driver_cpu_us for level in levels])),
        Column("mJ per I/O", column([_millijoules(row.system, row.level) for row in rows])),
    ]
    return Table([each for each in columns if any(cell != ABSENT for cell in each.cells)], [NOTE])


def published_io_table(result: Result) -> Table:
    """Published storage under the same kind of load beside the best level of each system."""
    found = [
        (system, level, published)
        for system in result.systems
        if published_beside(system).io and (level := best_level(system)) is not None
        for published in published_beside(system).io
    ]
    if not found:
        return Table([])
    levels = [level for _, level, _ in found]
    rates = [level.throughput_per_s.value for level in levels]
    moved = [megabytes_per_s(level) for level in levels]
    columns = [
        Column("published", [each.product for *_, each in found], "text"),
        Column("load", [each.load for *_, each in found], "text"),
        Column("I/Os/s", column([each.io_per_s for *_, each in found]), group="published"),
        Column("MB/s", column([_megabytes(each) for *_, each in found]), group="published"),
        Column("system", [system.name for system, *_ in found], "text"),
        Column("I/Os/s", column(rates), group="here"),
        Column("MB/s", column(moved), group="here"),
    ]
    return Table([each for each in columns if any(cell != ABSENT for cell in each.cells)])


def megabytes_per_s(level: Level) -> float | None:
    """Bytes read and written, in millions a second."""
    moved = [level.counters[name].per_s for name in BYTES if name in level.counters]
    return sum(moved) / 1e6 if moved else None


def megabytes_by_title(level: Level) -> dict[str, float]:
    """Return what a level moved, for pictures; nothing if it did not count bytes."""
    moved = megabytes_per_s(level)
    return {} if moved is None else {"MB/s": moved}


def _megabytes(published: PublishedIo) -> float | None:
    return None if published.bytes_per_s is None else published.bytes_per_s / 1e6


def _per_s(level: Level, counter: str) -> float | None:
    moved = level.counters.get(counter)
    return moved.per_s / 1e6 if moved and moved.count else None


def _millijoules(system: System, level: Level) -> float | None:
    merit = aspect(system, Merit)
    watts, per_s = merit and merit.watts_at(level), level.throughput_per_s.value
    return 1e3 * watts / per_s if watts and per_s else None
