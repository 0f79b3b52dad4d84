"""The tables below the level: operations, counters, facts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from igen.document import Column, Table, run_file
from igen.judge.record.settings import flat
from igen.judge.result import Level, Result, System, Times
from igen.layout.level import LoadAxis, is_comparison
from igen.layout.number import ABSENT, column, datum, time_unit
from igen.say import footnotes
from igen.units import counted

ALIKE = 5e-4
"""Relative difference of two times below which three digits of them are mostly the same."""


def alike_times(response: Times | None, service: Times | None) -> bool:
    """Whether nobody waited: both kinds of time would be printed with the same figures."""
    if response is None or service is None:
        return response is service
    return all(
        math.isclose(getattr(response, name), getattr(service, name), rel_tol=ALIKE)
        for name in ("mean", "p50", "p95", "p99")
    )


def operations_table(level: Level) -> Table:
    """The named steps of the transaction at one level, without those that had no turn."""
    told = {name: each for name, each in level.operations.items() if each.count or each.failed}
    operations = list(told.values())
    response = [operation.response_time_ms for operation in operations]
    service = [operation.service_time_ms for operation in operations]
    columns = [
        Column("operation", list(told), "text"),
        Column("count", [f"{operation.count:,}" for operation in operations]),
        Column("failed", [f"{operation.failed:,}" for operation in operations]),
        Column("per s", column([operation.per_s for operation in operations])),
    ]
    names = ("mean", "p50", "p95", "p99")
    unit, per_ms = time_unit(getattr(time, name) for time in response if time for name in names)
    alike = all(alike_times(*pair) for pair in zip(response, service, strict=True))
    for group, times in (
        (f"response time, {unit}", response),
        *([] if alike else [(f"service time, {unit}", service)]),
    ):
        columns += [
            Column(
                name, column([per_ms * getattr(time, name) if time else None for time in times]), group=group
            )
            for name in names
        ]
    idle = len(level.operations) - len(told)
    return Table(columns, [f"{counted(idle, 'operation')} without a turn"] if idle else [])


def counters_table(level: Level) -> Table:
    """What the workload counted at one level."""
    counters = list(level.counters.values())
    return Table(
        [
            Column("counter", list(level.counters), "text"),
            Column("count", [f"{counter.count:,}" for counter in counters]),
            Column("per s", column([counter.per_s for counter in counters])),
            Column("per transaction", column([counter.per_transaction for counter in counters])),
        ]
    )


def _grouped(values: list[dict[str, Any]], titles: list[str]) -> list[tuple[str, Table]]:
    """A table for each first word of the names; no headers where there is one column of values."""
    groups: dict[str, list[str]] = {}
    for name in sorted({name for each in values for name in each}):
        groups.setdefault(name.partition(".")[0], []).append(name)

    def table(names: list[str]) -> Table:
        labels = [name.partition(".")[2] or name for name in names]
        columns = [Column("", labels, "text")]
        for title, each in zip(titles, values, strict=True):
            cells = [datum(name, each[name]) if name in each else ABSENT for name in names]
            columns.append(Column(title, cells, "prose"))
        return Table(columns)

    return [(group, table(names)) for group, names in groups.items()]


def facts_tables(result: Result) -> list[tuple[str, Table]]:
    """Facts by the first word of their name, a column for each system.

    What is a list of records has tables and sentences of its own.
    """
    titles = [system.name if is_comparison(result) else "" for system in result.systems]
    return _grouped([dict(_shown(system)) for system in result.systems], titles)


def _shown(system: System) -> Iterator[tuple[str, Any]]:
    for name, value in flat(system.facts):
        if not (isinstance(value, list) and any(isinstance(item, Mapping) for item in value)):
            yield name, value


def settings_tables(system: System) -> list[tuple[str, Table]]:
    """The job as it was run: workload, targets, parameters, phases, placement, seed."""
    shown = {
        "job.workload": system.workload,
        "job.load_model": system.load_model,
        "job.targets": system.targets,
        **{f"params.{name}": value for name, value in flat(system.params)},
    }
    for name, value in flat(system.job):
        group = name.partition(".")[0]
        if group not in ("workload", "targets", "params", "load"):
            shown[name if "." in name else f"job.{name}"] = value
    present = {name: value for name, value in shown.items() if value is not None and value != []}
    return _grouped([present], [""])


def runs_table(system: System) -> Table:
    """Every run with its file, whether or not the figures of its level rest on it."""
    axis = LoadAxis.over([system])
    runs = [(level, repeat) for level in system.levels for repeat in level.repeats]
    times = [repeat.response_time_ms for _, repeat in runs]
    reasons = footnotes([repeat.findings for _, repeat in runs])
    verdicts = [repeat.trust.verdict for _, repeat in runs]
    marked = [f"{verdict} {reasons.mark(row)}".rstrip() for row, verdict in enumerate(verdicts)]
    files = [repeat.job_file for _, repeat in runs]
    return Table(
        [
            Column(axis.title, [axis.short(level) for level, _ in runs]),
            Column("repeat", [str(repeat.repeat + 1) for _, repeat in runs]),
            Column("purpose", [repeat.purpose for _, repeat in runs], "text"),
            Column("used", [datum("", repeat.used) for _, repeat in runs], "text"),
            Column("per s", column([repeat.throughput_per_s for _, repeat in runs], digits=4)),
            Column("p99, ms", column([time.p99 if time else None for time in times])),
            Column("measured, s", column([repeat.measured_s for _, repeat in runs], digits=2)),
            Column("cut, s", column([repeat.cut_s for _, repeat in runs], digits=2)),
            Column("verdict", marked, "text", verdicts=verdicts),
            Column("file", files, "text", links=[run_file(system.run, file) for file in files]),
        ],
        reasons.lines(),
    )
