"""The tables that have one row for each level: results, ratios and resources."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from igen.analysis.result import Level, Result, Times
from igen.report.level import LevelRow, LoadAxis, is_comparison, level_rows
from igen.report.number import ABSENT, column, half_width, interval, ratio, ratio_interval
from igen.report.table import Column, Table

UNSTABLE = "≈"
UNSTABLE_NOTE = (
    f"{UNSTABLE} unstable percentile: above 80 % utilisation, or fewer than 100 samples in its tail"
)


def load_columns(result: Result, rows: Sequence[LevelRow]) -> list[Column]:
    """What tells the rows apart: the load and, where there are several, the system and its instances."""
    axis = LoadAxis.of(result)
    columns = [Column(axis.title, [axis.short(row.level) for row in rows])]
    if any(row.system.scaling for row in rows):
        columns.append(Column("instances", [f"{row.level.instances:,}" for row in rows]))
    if is_comparison(result):
        columns.append(Column("system", [row.system.name for row in rows], "text"))
    return columns


def throughput_column(rows: Sequence[LevelRow]) -> Column:
    """Throughput alone; its interval stands beside it."""
    return Column(
        "per s",
        column([row.level.throughput_per_s.value for row in rows], digits=4),
        group="throughput",
    )


def ratio_columns(rows: Sequence[LevelRow]) -> list[Column]:
    """Ratio of throughput to the base and its interval; the base itself has none."""
    ratios = [row.ratio.throughput if row.ratio else None for row in rows]
    return [
        Column("ratio", [ratio(each) for each in ratios], group="throughput"),
        Column("95 % of ratio", [ratio_interval(each) for each in ratios], group="throughput"),
    ]


def verdict_column(rows: Sequence[LevelRow], marks: Sequence[str] = ()) -> Column:
    """The verdict, each with its footnote mark where there are marks."""
    verdicts = [row.level.verdict for row in rows]
    cells = [
        f"{word} {mark}".rstrip() for word, mark in zip(verdicts, marks or [""] * len(rows), strict=True)
    ]
    return Column("verdict", cells, "verdict")


def time_columns(
    rows: Sequence[LevelRow], group: str, of: Callable[[Level], Times | None], names: Sequence[str]
) -> list[Column]:
    """Chosen statistics of a distribution of times, one column each, in milliseconds."""
    times = [of(row.level) for row in rows]
    columns = []
    for name in names:
        cells = column([None if time is None else getattr(time, name) for time in times])
        if name == "p99":
            cells = [
                f"{UNSTABLE}{cell}" if time is not None and time.p99_unstable else cell
                for cell, time in zip(cells, times, strict=True)
            ]
        columns.append(Column(name, cells, group=group))
    return columns


def count_columns(rows: Sequence[LevelRow]) -> list[Column]:
    """Errors and arrivals that were never sent."""
    return [
        Column("errors", [f"{row.level.errors:,}" for row in rows]),
        Column("unsent", [f"{row.level.unsent:,}" for row in rows]),
    ]


def cpu_column(rows: Sequence[LevelRow]) -> Column:
    """Busy time of all processors."""
    return Column("CPU %", column([row.level.resources.cpu_percent for row in rows], most_decimals=0))


def unstable_notes(rows: Sequence[LevelRow]) -> list[str]:
    """The legend of the sign for unstable percentiles, where one is used."""
    times = [time for row in rows for time in (row.level.response_time_ms, row.level.service_time_ms)]
    return [UNSTABLE_NOTE] if any(time is not None and time.p99_unstable for time in times) else []


def results_table(result: Result) -> Table:
    """Everything about a level on one line, with the reasons of its verdict as remarks."""
    rows = level_rows(result)
    throughput = [row.level.throughput_per_s for row in rows]
    columns = [
        *load_columns(result, rows),
        verdict_column(rows),
        throughput_column(rows),
        Column("95 % interval", [interval(estimate) for estimate in throughput], group="throughput"),
        Column("repeats", [str(estimate.n) for estimate in throughput], group="throughput"),
        *(ratio_columns(rows) if result.ratios else []),
        *time_columns(
            rows, "response time, ms", lambda level: level.response_time_ms, ("mean", "p50", "p95", "p99")
        ),
        *time_columns(rows, "service time, ms", lambda level: level.service_time_ms, ("p50", "p95", "p99")),
        *count_columns(rows),
        cpu_column(rows),
    ]
    remarks = {number: row.level.reasons + row.level.warnings for number, row in enumerate(rows)}
    return Table(columns, unstable_notes(rows), {number: texts for number, texts in remarks.items() if texts})


def terminal_table(result: Result, marks: Sequence[str]) -> Table:
    """The level table that fits a terminal; `marks` point to the footnotes with the reasons."""
    rows = level_rows(result)
    columns = [
        *load_columns(result, rows),
        throughput_column(rows),
        Column("95 %", [half_width(row.level.throughput_per_s) for row in rows], group="throughput"),
        *time_columns(
            rows, "response time, ms", lambda level: level.response_time_ms, ("mean", "p50", "p95", "p99")
        ),
        cpu_column(rows),
        *count_columns(rows),
        verdict_column(rows, marks),
    ]
    return Table(columns, unstable_notes(rows))


def one_base(result: Result) -> str | None:
    """The system that all others are compared with; None where there are several."""
    bases = {ratio.base for ratio in result.ratios}
    return bases.pop() if len(bases) == 1 else None


def ratio_table(result: Result) -> Table:
    """Absolutes and ratios side by side; `~` where the ratio cannot be told from 1."""
    rows = level_rows(result)
    response = [row.level.response_time_ms for row in rows]
    response_ratios = [row.ratio.response_time if row.ratio else None for row in rows]
    bases = [row.ratio.base if row.ratio else ABSENT for row in rows]
    columns = [
        *load_columns(result, rows),
        *([Column("against", bases, "text")] if one_base(result) is None else []),
        throughput_column(rows),
        *ratio_columns(rows),
        Column("mean, ms", column([time.mean if time else None for time in response]), group="response time"),
        Column("ratio", [ratio(each) for each in response_ratios], group="response time"),
        Column("outcome", [row.ratio.verdict if row.ratio else ABSENT for row in rows], "text"),
    ]
    return Table(columns, ["outcome ~: cannot be told from the base at this level"])


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
        percent("foreign", [host.foreign_cpu_percent for host in used]),
        amount("CPU, µs", [share.cpu_us for share in per]),
        amount("driver CPU, µs", [share.driver_cpu_us for share in per]),
        amount("read, kB", kilobytes([share.disk_read_bytes for share in per])),
        amount("written, kB", kilobytes([share.disk_written_bytes for share in per])),
        amount("network, kB", kilobytes([share.network_bytes for share in per])),
        amount("context switches", [share.context_switches for share in per]),
        *(
            Column(meter, column([row.level.power_w.get(meter) for row in rows]), group="W")
            for meter in dict.fromkeys(meter for row in rows for meter in row.level.power_w)
        ),
    ]
    keep = [column for column in columns if any(cell != ABSENT for cell in column.cells)]
    return Table(keep)
