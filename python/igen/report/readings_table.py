"""What monitors read that no other table tells."""

from __future__ import annotations

from igen.document import Column, Table
from igen.judge.result import Result, Series
from igen.layout.columns import load_columns
from igen.layout.level import level_rows
from igen.layout.number import interval, significant

NOTE = "counters: growth a second; gauges: mean of the readings; what was 0 at every level is left out"


def readings_table(result: Result) -> Table:
    """A row for each series at each level; no columns where all monitors are told elsewhere."""
    rows = [(row, series) for row in level_rows(result) for series in row.level.readings]
    told = {_name(series) for _, series in rows if _was_seen(series)}
    found = [(row, series) for row, series in rows if _name(series) in told]
    if not found:
        return Table([])
    each = [series for _, series in found]
    columns = [
        *load_columns(result, [row for row, _ in found]),
        Column("monitor", [series.source for series in each], "text"),
        Column("of", [series.subject for series in each], "text"),
        Column("reading", [series.metric.replace("_", " ") for series in each], "text"),
        Column("mean", [significant(series.mean.value, 4) for series in each]),
        Column("95 % interval", [interval(series.mean) for series in each]),
        Column("unit", [unit_of(series) for series in each], "text"),
    ]
    return Table([column for column in columns if any(column.cells)], [NOTE])


def unit_of(series: Series) -> str:
    """`bytes/s`, `/s`, `bytes`; empty for a number."""
    return f"{series.unit}/s" if series.kind == "counter" else series.unit


def _name(series: Series) -> tuple[str, str, str, str]:
    return series.host, series.source, series.subject, series.metric


def _was_seen(series: Series) -> bool:
    """Whether it was ever anything but 0, in any run."""
    return series.mean.value != 0 or series.mean.low != series.mean.high
