"""A job's intervals as Parquet, a copy written when `igen query` first needs them."""

from __future__ import annotations

import glob
import os
from pathlib import Path
from typing import TYPE_CHECKING

from igen.store.files import move_file, new_file, size_of
from igen.store.job_file import read_job_ends

if TYPE_CHECKING:
    import duckdb

_TIMES = "STRUCT(sum_ns UBIGINT, hdr VARCHAR)"
_STATISTICS = (
    "STRUCT(count UBIGINT, failed UBIGINT,"
    f" service_time {_TIMES}, response_time {_TIMES}, failed_time {_TIMES})"
)
_SNAPSHOT = (
    "STRUCT(phase VARCHAR, start_s DOUBLE, end_s DOUBLE, users UINTEGER,"
    f" transactions {_STATISTICS}, operations MAP(VARCHAR, {_STATISTICS}),"
    " operations_since_s DOUBLE,"
    " counters MAP(VARCHAR, UBIGINT),"
    " failures STRUCT(kind VARCHAR, step VARCHAR, text VARCHAR, count UBIGINT)[],"
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
    """Return SQL for a row for each interval in jobs files, with the name of the file."""
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


def kept_parquet(connection: duckdb.DuckDBPyConnection, jobs_file: Path) -> Path | None:
    """Return the Parquet file of a job's intervals, a row for each; write it next to the jobs file if absent.

    Times are nanoseconds; `*_hdr` are HDR V2 payloads; NULL is unknown. The file gets the time of the jobs
    file, so that a later change is noticed. Return None if the job has not ended, or if the store cannot be
    written: the jobs file is read then.
    """
    import duckdb

    path = jobs_file.with_suffix(".parquet")
    changed_ns = jobs_file.lstat().st_mtime_ns
    if size_of(path) and path.lstat().st_mtime_ns == changed_ns:
        return path
    if read_job_ends(jobs_file)[1] is None:
        return None
    new = path.with_suffix(f".{os.getpid()}.new")
    rows = f"SELECT * EXCLUDE filename FROM ({intervals_sql('$jobs')}) ORDER BY start_s"
    try:
        with new_file(new, folders=2) as file:
            # DuckDB would follow a link of this name. The file that is read is a pattern to DuckDB.
            files = {"jobs": glob.escape(str(jobs_file)), "new": f"/proc/self/fd/{file.fileno()}"}
            connection.execute(f"COPY ({rows}) TO $new (FORMAT parquet, USE_TMP_FILE false)", files)
            os.utime(file.fileno(), ns=(changed_ns, changed_ns))
        move_file(new, path, folders=2, target_folders=2)
    except (duckdb.Error, OSError):
        new.unlink(missing_ok=True)
        return None
    return path
