"""SQL over all runs of a store: tables of runs, jobs, intervals, readings and facts, by DuckDB.

SQL cannot write anything: only SELECT is run, and files are reached in the store alone. The intervals of jobs
that have ended are kept as Parquet from the first query on.
"""

from __future__ import annotations

import glob
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from igen.errors import InputError
from igen.extras import QUERY
from igen.loads import Load, Loads
from igen.store.catalog import CatalogRow
from igen.store.intervals import events_sql, intervals_sql, kept_parquet
from igen.store.job_file import read_job_ends
from igen.store.run import Run
from igen.store.store import Store

if TYPE_CHECKING:
    import duckdb

TABLES = ("runs", "jobs", "intervals", "readings", "facts")
HINT = f'tables: {", ".join(TABLES)}; `igen query "DESCRIBE intervals"` shows the columns of a table'
_RUNS = (
    "run VARCHAR, created TIMESTAMP, system VARCHAR, name VARCHAR, title VARCHAR, workload VARCHAR,"
    " levels INTEGER, jobs INTEGER, state VARCHAR"
)
_JOBS = (
    "run VARCHAR, job INTEGER, system VARCHAR, test VARCHAR, level INTEGER, repeat INTEGER, purpose VARCHAR,"
    " workload VARCHAR, load_model VARCHAR, users INTEGER, rate_per_s DOUBLE, targets VARCHAR[], params JSON,"
    " started TIMESTAMP, exit_code INTEGER, interrupted BOOLEAN"
)
_PLACE = (
    r"regexp_extract(filename, '([^/]+)/jobs/\d+\.[a-z]+$', 1) AS run,"
    r" regexp_extract(filename, '/jobs/(\d+)\.[a-z]+$', 1)::INTEGER AS job"
)
_READING = (
    "STRUCT(host VARCHAR, at_s DOUBLE, monitor VARCHAR, subject VARCHAR, counters MAP(VARCHAR, DOUBLE),"
    " gauges MAP(VARCHAR, DOUBLE))"
)


@dataclass(frozen=True, slots=True)
class Rows:
    """The answer to a query."""

    columns: list[str]
    rows: list[tuple[Any, ...]]


def query(store: Store, sql: str) -> Rows:
    """Run one SELECT. Raises `InputError` for anything else, for wrong SQL, without runs and without DuckDB.

    Times of day are UTC.
    """
    QUERY.need("igen query")
    import duckdb

    rows = store.list_runs()
    if not rows:
        hint = "choose another store with --store or IGEN_STORE"
        raise InputError(f"no runs in {store.path}", where="--store", hint=hint)
    folder = store.path.resolve()
    runs = [Run(folder / row.run) for row in rows]
    try:
        with duckdb.connect() as connection:
            _fill(connection, "runs", _RUNS, [_run_row(row) for row in rows])
            _fill(connection, "jobs", _JOBS, [row for run in runs for row in _job_rows(run)])
            _views(connection, [path for run in runs for path in run.job_paths()])
            _lock(connection, folder)
            statements = connection.extract_statements(sql)
            if [each.type for each in statements] != [duckdb.StatementType.SELECT]:
                raise InputError("needs a single SELECT statement", where="SQL", hint=HINT)
            cursor = connection.execute(statements[0])
            columns = [(str(name), str(kind) == "JSON") for name, kind, *_ in cursor.description or []]
            return Rows([name for name, _ in columns], [_row(columns, row) for row in cursor.fetchall()])
    except duckdb.Error as error:
        raise InputError(_first_lines(str(error)), where="SQL", hint=HINT) from error


def _row(columns: Sequence[tuple[str, bool]], row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a row with decoded JSON columns."""
    return tuple(
        json.loads(value) if is_json and value is not None else value
        for (_, is_json), value in zip(columns, row, strict=True)
    )


def _fill(
    connection: duckdb.DuckDBPyConnection, table: str, columns: str, rows: Sequence[tuple[Any, ...]]
) -> None:
    connection.execute(f"CREATE TABLE {table} ({columns})")
    if rows:
        marks = ", ".join("?" * len(rows[0]))
        connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)


def _run_row(row: CatalogRow) -> tuple[Any, ...]:
    kept = (row.system, row.name, row.title, row.workload, row.levels, row.jobs, row.state)
    return (row.run, _time(row.created_unix_s), *kept)


def _job_rows(run: Run) -> Iterator[tuple[Any, ...]]:
    for path in run.job_paths():
        start, end = (each or {} for each in read_job_ends(path))
        job = start.get("job") or {}
        loads, asked = Loads.of(job), Load.of(job.get("load")).asked
        place = (start.get(name) for name in ("system", "test", "level", "repeat", "purpose"))
        started_unix_s = start.get("started_unix_s")
        yield (
            run.id,
            int(path.stem),
            *place,
            job.get("workload"),
            loads.model,
            asked.get("users"),
            asked.get("rate_per_s", asked.get("rate_per_user_per_s")),
            job.get("targets") or [],
            json.dumps(job.get("params") or {}),
            None if started_unix_s is None else _time(started_unix_s),
            end.get("exit_code"),
            end.get("interrupted"),
        )


def _time(unix_s: float) -> datetime:
    """Return a time in UTC without its zone, which DuckDB needs another library for."""
    return datetime.fromtimestamp(unix_s, UTC).replace(tzinfo=None)


def _views(connection: duckdb.DuckDBPyConnection, jobs: Sequence[Path]) -> None:
    """Create the tables that are read from files on demand."""
    # Without any file there is nothing to read later.
    kind, events = ("VIEW", _files(jobs)) if jobs else ("TABLE", "'/dev/null'")
    kept = {path: kept_parquet(connection, path) for path in jobs}
    parts = []
    if found := [parquet for parquet in kept.values() if parquet]:
        parts.append(f"FROM read_parquet({_files(found)}, union_by_name = true, filename = true)")
    others = [path for path, parquet in kept.items() if parquet is None]
    if others or not jobs:
        parts.append(intervals_sql(_files(others) if others else events))
    connection.execute(
        f"""CREATE {kind} intervals AS
        SELECT {_PLACE}, phase, start_s, end_s, users, count, failed,
               count / nullif(end_s - start_s, 0) AS throughput_per_s,
               service_sum_ns / nullif(count, 0) / 1e6 AS service_mean_ms,
               response_sum_ns / nullif(count, 0) / 1e6 AS response_mean_ms,
               * EXCLUDE (phase, start_s, end_s, users, count, failed, filename)
        FROM ({" UNION ALL BY NAME ".join(parts)})"""
    )
    both = [
        f"SELECT *, '{name}' AS kind, unnest(map_entries(reading.{name}s)) AS entry FROM recorded"
        for name in ("counter", "gauge")
    ]
    connection.execute(
        f"""CREATE {kind} readings AS
        WITH recorded AS ({events_sql(events, "reading", _READING)})
        SELECT {_PLACE}, coalesce(reading.host, '') AS host, reading.at_s, reading.monitor,
               coalesce(reading.subject, '') AS subject, entry.key AS metric, entry.value AS value, kind
        FROM ({" UNION ALL ".join(both)})"""
    )
    connection.execute(
        f"""CREATE {kind} facts AS
        SELECT {_PLACE}, fact.name, fact.value ->> '$' AS value
        FROM ({events_sql(events, "fact", "STRUCT(name VARCHAR, value JSON)")})"""
    )


def _files(paths: Sequence[Path]) -> str:
    """Return a list of files in SQL; their names are patterns to DuckDB."""
    return "[" + ", ".join("'" + glob.escape(str(path)).replace("'", "''") + "'" for path in paths) + "]"


def _lock(connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Forbid access to all other files."""
    # The pattern of a file is looked at as well as the file.
    allowed = [f"{place}/" for place in (str(folder), glob.escape(str(folder)))]
    directories = ", ".join("'" + place.replace("'", "''") + "'" for place in allowed)
    # Answers that do not fit into memory are refused rather than written anywhere.
    connection.execute("SET temp_directory = ''")
    connection.execute(f"SET allowed_directories = [{directories}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def _first_lines(message: str) -> str:
    """Return DuckDB's error and its candidates, without the excerpt of the query."""
    first, *others = [line.strip() for line in message.splitlines() if line.strip()]
    return "; ".join([first, *(line for line in others if line.startswith("Candidate"))])
