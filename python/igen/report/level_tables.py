"""The tables that have one row for each level: results, ratios and resources."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from igen.document import Column, Table
from igen.judge.result import Level, Result, Times
from igen.judge.trust.disturbance import Bound
from igen.layout.columns import load_columns, throughput_column
from igen.layout.level import LevelRow, level_rows, verdict_text
from igen.layout.number import (
    ABSENT,
    column,
    half_width,
    interval,
    time_unit,
)
from igen.report.aspects import columns_of
from igen.report.detail_tables import alike_times
from igen.say import Footnotes, footnotes
from igen.say.words import bound_text


def verdict_column(rows: Sequence[LevelRow], reasons: Footnotes) -> Column:
    """The verdict of each level with the numbers of its reasons."""
    cells = [f"{verdict_text(row.level)} {reasons.mark(number)}".rstrip() for number, row in enumerate(rows)]
    return Column("verdict", cells, "text", verdicts=[row.level.trust.verdict for row in rows])


def reasons_of(rows: Sequence[LevelRow]) -> Footnotes:
    """Return the findings of every level, those of one rule once for all levels."""
    return footnotes([row.level.findings for row in rows])


def machine_columns(rows: Sequence[LevelRow], group: str, of: Callable[[Level], Bound]) -> list[Column]:
    """The systematic error beside the interval; none where no level was disturbed."""
    bounds = [of(row.level) for row in rows]
    cells = [bound_text(bound) or "0 %" for bound in bounds]
    return [Column("machine", cells, group=group)] if any(map(bound_text, bounds)) else []


def throughput_machine(rows: Sequence[LevelRow]) -> list[Column]:
    """The systematic error of the throughput."""
    return machine_columns(rows, "throughput", lambda level: level.trust.disturbance.throughput)


def machine_notes(rows: Sequence[LevelRow]) -> list[str]:
    """What the columns of the systematic error say."""
    disturbed = any(
        bound_text(bound)
        for row in rows
        for bound in (row.level.trust.disturbance.throughput, row.level.trust.disturbance.times)
    )
    return [MACHINE_NOTE] if disturbed else []


MACHINE_NOTE = (
    "machine: by how much the undisturbed value may lie below and above the measured one; what disturbed is "
    "no part of the interval"
)


def time_columns(
    rows: Sequence[LevelRow], noun: str, of: Callable[[Level], Times | None], names: Sequence[str]
) -> list[Column]:
    """Chosen statistics of a distribution of times, one column each, in the unit that suits all."""
    times = [of(row.level) for row in rows]
    unit, per_ms = time_unit(getattr(time, name) for time in times if time for name in names)
    columns = []
    for name in names:
        cells = column([None if time is None else per_ms * getattr(time, name) for time in times])
        columns.append(Column(name, cells, group=f"{noun}, {unit}"))
    return columns


def count_columns(rows: Sequence[LevelRow]) -> list[Column]:
    """Return errors, counts that aspects know, and unsent arrivals of loads that are not closed."""
    columns = [Column("errors", [f"{row.level.errors:,}" for row in rows]), *columns_of("counts", rows)]
    if any(row.system.load_model != "closed" for row in rows):
        columns.append(Column("unsent", [f"{row.level.unsent:,}" for row in rows]))
    return columns


def service_columns(rows: Sequence[LevelRow]) -> list[Column]:
    """Service times; none where they are the response times at every level."""
    if all(alike_times(row.level.response_time_ms, row.level.service_time_ms) for row in rows):
        return []
    return time_columns(rows, "service time", lambda level: level.service_time_ms, ("p50", "p95", "p99"))


ALIKE_NOTE = "service times are the response times: no transaction waited for a free user"


def alike_notes(rows: Sequence[LevelRow]) -> list[str]:
    """What it means that there are no columns of service times."""
    timed = any(row.level.response_time_ms for row in rows)
    return [ALIKE_NOTE] if timed and not service_columns(rows) else []


def cpu_column(rows: Sequence[LevelRow]) -> Column:
    """Busy time of all processors."""
    return Column("CPU %", column([row.level.resources.cpu_percent for row in rows], most_decimals=0))


def results_table(result: Result) -> Table:
    """Everything about a level on one line, with the reasons of all verdicts below."""
    rows = level_rows(result)
    reasons = reasons_of(rows)
    throughput = [row.level.throughput_per_s for row in rows]
    columns = [
        *load_columns(result, rows),
        verdict_column(rows, reasons),
        throughput_column(rows),
        Column("95 % interval", [interval(estimate) for estimate in throughput], group="throughput"),
        *throughput_machine(rows),
        Column("runs", [str(estimate.n) for estimate in throughput], group="throughput"),
        *response_columns(rows),
        *p99_columns(rows),
        *machine_columns(rows, "response time", lambda level: level.trust.disturbance.times),
        *service_columns(rows),
        *count_columns(rows),
        cpu_column(rows),
    ]
    return Table(columns, [*reasons.lines(), *machine_notes(rows), *alike_notes(rows)])


def terminal_table(result: Result) -> Table:
    """The level table that fits a terminal."""
    rows = level_rows(result)
    reasons = reasons_of(rows)
    columns = [
        *load_columns(result, rows),
        throughput_column(rows),
        Column("95 %", [half_width(row.level.throughput_per_s) for row in rows], group="throughput"),
        *throughput_machine(rows),
        *response_columns(rows),
        cpu_column(rows),
        *count_columns(rows),
        verdict_column(rows, reasons),
    ]
    return Table(columns, [*machine_notes(rows), *reasons.lines()])


def response_columns(rows: Sequence[LevelRow]) -> list[Column]:
    """Mean and percentiles of the response time."""
    names = ("mean", "p50", "p95", "p99")
    return time_columns(rows, "response time", lambda level: level.response_time_ms, names)


def p99_columns(rows: Sequence[LevelRow]) -> list[Column]:
    """The interval of the p99, where there are runs enough for one."""
    intervals = [times.p99_interval if (times := row.level.response_time_ms) else None for row in rows]
    if not any(each is not None and each.low is not None for each in intervals):
        return []
    unit, per_ms = time_unit(each.value if each else None for each in intervals)
    cells = [interval(each and each * per_ms) for each in intervals]
    return [Column("95 % of p99", cells, group=f"response time, {unit}")]


def rates_table(result: Result) -> Table:
    """The rates that the workload defines itself; no columns where it defines none."""
    rows = level_rows(result)
    names = dict.fromkeys(name for row in rows for name in row.level.rates)
    columns = load_columns(result, rows) if names else []
    for name in names:
        rates = [row.level.rates.get(name) for row in rows]
        cells = column([None if rate is None else rate.value for rate in rates], digits=4)
        columns.append(Column("mean", cells, group=name))
        columns.append(Column("95 % interval", [interval(rate) for rate in rates], group=name))
    return Table(columns)


def resources_table(result: Result) -> Table:
    """What the host spent: shares of its processors, and amounts for each transaction."""
    rows = level_rows(result)
    used = [row.level.resources for row in rows]
    per = [row.level.resources_per_transaction for row in rows]

    def percent(title: str, values: Sequence[float | None]) -> Column:
        return Column(title, column(values, digits=2, most_decimals=1), group="CPU, % of all processors")

    def amount(title: str, values: Sequence[float | None]) -> Column:
        return Column(title, column(values), group="per transaction")

    def kilobytes(values: Sequence[float | None]) -> list[float | None]:
        return [None if value is None else value / 1e3 for value in values]

    columns = [
        *load_columns(result, rows),
        percent("all", [host.cpu_percent for host in used]),
        percent("user", [host.cpu_user_percent for host in used]),
        percent("system", [host.cpu_system_percent for host in used]),
        percent("I/O wait", [host.cpu_iowait_percent for host in used]),
        percent("steal", [host.cpu_steal_percent for host in used]),
        percent("driver", [host.driver_cpu_percent for host in used]),
        percent("spinning", [host.spun_cpu_percent for host in used]),
        percent("foreign", [host.foreign_cpu_percent for host in used]),
        amount("CPU, µs", [share.cpu_us for share in per]),
        amount("driver CPU, µs", [share.driver_cpu_us for share in per]),
        amount("read, kB", kilobytes([share.disk_read_bytes for share in per])),
        amount("written, kB", kilobytes([share.disk_written_bytes for share in per])),
        amount("network, kB", kilobytes([share.network_bytes for share in per])),
        amount("context switches", [share.context_switches for share in per]),
        *columns_of("resources", rows),
    ]
    keep = [column for column in columns if any(cell != ABSENT for cell in column.cells)]
    return Table(keep)
