"""The tables by level that only some jobs and workloads have, in the order of every format."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from igen.aspects.aspects import ASPECTS
from igen.document import Table
from igen.judge.result import Result
from igen.report.failures_table import failures_table
from igen.report.level_tables import rates_table
from igen.report.loads_table import loads_table

TABLES: tuple[tuple[str, Callable[[Result], Table]], ...] = (
    ("Personas", loads_table),
    ("Rates of the workload", rates_table),
    *(table for aspect in ASPECTS for table in aspect.tables),
    ("Failures", failures_table),
)


def workload_tables(result: Result) -> Iterator[tuple[str, Table]]:
    """Titles and tables, without those that say nothing of this result."""
    for title, table_of in TABLES:
        table = table_of(result)
        if table.columns:
            yield title, table
