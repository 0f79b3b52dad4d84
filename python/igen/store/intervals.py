"""A job's intervals as Parquet, for questions across many runs. The jobs file stays the truth."""

from __future__ import annotations

import glob
from pathlib import Path

from igen.errors import IgenError

_TIMES = "STRUCT(sum_ns UBIGINT, hdr VARCHAR)"
_STATISTICS = (
    "STRUCT(count UBIGINT, failed UBIGINT,"
    f" service_time {_TIMES}, response_time {_TIMES}, failed_time {_TIMES})"
)
_SNAPSHOT = (
    "STRUCT(phase VARCHAR, start_s DOUBLE, end_s DOUBLE, users UINTEGER,"
    f" transactions {_STATISTICS}, operations MAP(VARCHAR, {_STATISTICS}),"
    " operations_since_s DOUBLE,"
    " counters MAP(VARCHAR, UBIGINT), failures MAP(VARCHAR, UBIGINT),"
    " arrivals STRUCT(due UBIGINT, started UBIGINT, unsent UBIGINT, backlog UBIGINT))"
)


def events_sql(files: str, kind: str, form: str) -> str:
    """SQL that reads the events of one kind from jobs files, as `kind` and `filename`.

    `files` is what DuckDB takes for them, `form` the event's type; other members of it are left out.
    """
    # Without `records` the first lines decide what the objects are, and in those a kind may be missing.
    return (
        f"SELECT {kind}, filename FROM read_json({files}, format = 'newline_delimited', records = true,"
        f" columns = {{{kind}: '{form}'}}, filename = true,"
        f" ignore_errors = true, maximum_object_size = 268435456) WHERE {kind} IS NOT NULL"
    )


def intervals_sql(files: str) -> str:
    """SQL that gives a row for each interval in jobs files, with the name of the file."""
    return f"""
        SELECT snapshot.phase, snapshot.start_s, snapshot.end_s, snapshot.users,
               t.count, t.failed,
               t.service_time.sum_ns AS service_sum_ns, t.service_time.hdr AS service_hdr,
               coalesce(t.response_time, t.service_time).sum_ns AS response_sum_ns,
               coalesce(t.response_time, t.service_time).hdr AS response_hdr,
               t.failed_time.sum_ns AS failed_sum_ns, t.failed_time.hdr AS failed_hdr,
               snapshot.operations, snapshot.operations_since_s, snapshot.counters, snapshot.failures,
               snapshot.arrivals, filename
        FROM (SELECT snapshot, snapshot.transactions AS t, filename
              FROM ({events_sql(files, "snapshot", _SNAPSHOT)}))
    """


def write_parquet(jobs_file: Path) -> Path:
    """Writes the intervals of `jobs_file` beside it, one row each, and returns the new file's path.

    Times are nanoseconds; `*_hdr` are HDR V2 payloads; NULL where the agent said nothing. Raises `IgenError`
    when that cannot be done.
    """
    import duckdb

    path = jobs_file.with_suffix(".parquet")
    # What is read is a pattern to DuckDB, what is written is not.
    files = {"jobs": glob.escape(str(jobs_file)), "parquet": str(path)}
    rows = f"SELECT * EXCLUDE filename FROM ({intervals_sql('$jobs')}) ORDER BY start_s"
    try:
        with duckdb.connect() as connection:
            connection.execute("SET threads = 1")
            connection.execute(f"COPY ({rows}) TO $parquet (FORMAT parquet)", files)
    except (duckdb.Error, OSError) as error:
        path.unlink(missing_ok=True)
        raise IgenError(f"cannot write Parquet: {error}", where=str(path)) from error
    return path
