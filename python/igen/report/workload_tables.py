"""The tables by level that only some jobs and workloads have, in the order of every format."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from igen.document import Table
from igen.judge.result import Result
from igen.report.application_tables import published_applications_table
from igen.report.device_tables import device_io_table
from igen.report.failures_table import failures_table
from igen.report.ldap_table import ldap_table
from igen.report.level_tables import rates_table
from igen.report.log_table import log_table
from igen.report.memory_tables import (
    all_kernels_table,
    best_kernels_table,
    latency_table,
    published_bandwidths_table,
)
from igen.report.persona_table import personas_table
from igen.report.scan_table import scan_table
from igen.report.storage_table import published_io_table, storage_table
from igen.report.torture_table import torture_table

TABLES: tuple[tuple[str, Callable[[Result], Table]], ...] = (
    ("Personas", personas_table),
    ("Rates of the workload", rates_table),
    ("Table scans", scan_table),
    ("Memory: the best of each kernel", best_kernels_table),
    ("Memory: every kernel", all_kernels_table),
    ("Memory: latency", latency_table),
    ("Memory: beside published figures", published_bandwidths_table),
    ("LDAP operations", ldap_table),
    ("Log of the database", log_table),
    ("Bytes and cost of I/O", storage_table),
    ("Storage: beside published figures", published_io_table),
    ("Web applications: beside published results", published_applications_table),
    ("Logical and physical I/O", device_io_table),
    ("Torture", torture_table),
    ("Failures", failures_table),
)


def workload_tables(result: Result) -> Iterator[tuple[str, Table]]:
    """Titles and tables, without those that say nothing of this result."""
    for title, table_of in TABLES:
        table = table_of(result)
        if table.columns:
            yield title, table
