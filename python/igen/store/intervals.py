"""A job's intervals as Parquet, for questions across many runs. The jobs file stays the truth."""

from __future__ import annotations

from pathlib import Path

from igen.errors import IgenError

_TIMES = "STRUCT(sum_ns UBIGINT, hdr VARCHAR)"
_SNAPSHOT = (
    "STRUCT(phase VARCHAR, start_s DOUBLE, end_s DOUBLE, users UINTEGER,"
    f" transactions STRUCT(count UBIGINT, failed UBIGINT, service_time {_TIMES}, response_time {_TIMES}),"
    " counters MAP(VARCHAR, UBIGINT), failures MAP(VARCHAR, UBIGINT))"
)
_ROWS = f"""
    SELECT snapshot.phase, snapshot.start_s, snapshot.end_s, snapshot.users,
           t.count, t.failed,
           t.service_time.sum_ns AS service_sum_ns, t.service_time.hdr AS service_hdr,
           coalesce(t.response_time, t.service_time).sum_ns AS response_sum_ns,
           coalesce(t.response_time, t.service_time).hdr AS response_hdr,
           snapshot.counters, snapshot.failures
    FROM (SELECT snapshot, snapshot.transactions AS t
          FROM read_json($jobs, format = 'newline_delimited', columns = {{snapshot: '{_SNAPSHOT}'}},
                         ignore_errors = true, maximum_object_size = 268435456)
          WHERE snapshot IS NOT NULL)
    ORDER BY snapshot.start_s
"""


def write_parquet(jobs_file: Path) -> Path:
    """Writes the intervals of `jobs_file` beside it, one row each, and returns the new file's path.

    Times are nanoseconds; `*_hdr` are HDR V2 payloads. Raises `IgenError` when that cannot be done.
    """
    import duckdb

    path = jobs_file.with_suffix(".parquet")
    files = {"jobs": str(jobs_file), "parquet": str(path)}
    try:
        with duckdb.connect() as connection:
            connection.execute("SET threads = 1")
            connection.execute(f"COPY ({_ROWS}) TO $parquet (FORMAT parquet)", files)
    except (duckdb.Error, OSError) as error:
        path.unlink(missing_ok=True)
        raise IgenError(f"cannot write Parquet: {error}", where=str(path)) from error
    return path
