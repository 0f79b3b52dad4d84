from __future__ import annotations

import glob
from pathlib import Path
from typing import Any

import duckdb

from igen.store.intervals import kept_parquet
from igen.store.job_file import JobWriter


def kept(jobs_file: Path) -> Path | None:
    with duckdb.connect() as connection:
        return kept_parquet(connection, jobs_file)


def snapshot(start_s: float, **more: object) -> dict[str, Any]:
    transactions = {"count": 10, "failed": 1, "service_time": {"sum_ns": 500, "hdr": "S"}, **more}
    return {
        "snapshot": {
            "phase": "measure",
            "start_s": start_s,
            "end_s": start_s + 1,
            "users": 2,
            "transactions": transactions,
            "counters": {"rows": 13},
        }
    }


def test_every_interval_is_a_row(tmp_path: Path) -> None:
    path = tmp_path / "0001.jsonl"
    with JobWriter(path, {"level": 0}) as writer:
        writer.event(snapshot(0.0))
        writer.event({"fact": {"name": "n", "value": 1}})
        writer.event(snapshot(1.0, response_time={"sum_ns": 900, "hdr": "R"}))
        writer.line(b'{"snapshot": {"phase": "meas')
        writer.end({})
    parquet = kept(path)
    rows = duckdb.sql(
        "SELECT start_s, users, count, failed, service_sum_ns, response_sum_ns, response_hdr,"
        f" counters['rows'] FROM '{parquet}'"
    ).fetchall()
    assert rows == [(0.0, 2, 10, 1, 500, 500, "S", 13), (1.0, 2, 10, 1, 500, 900, "R", 13)]


KINDS = ("hello", "fact", "phase", "canary", "reading", "measured", "warning", "end")


def test_intervals_are_found_among_events_of_all_other_kinds(tmp_path: Path) -> None:
    """As in a run that has loaded a database: DuckDB guesses what the lines are, and guessed wrong."""
    path = tmp_path / "0001.jsonl"
    with JobWriter(path, {"level": 0}) as writer:
        for kind in KINDS:
            writer.event({kind: {"at_s": 1.0}})
        for done in range(200):
            writer.event({"progress": {"phase": "prepare", "done": done}})
        writer.event(snapshot(0.0))
        writer.end({})
    assert duckdb.sql(f"SELECT phase, count FROM '{kept(path)}'").fetchall() == [("measure", 10)]


def test_operations_arrivals_and_failed_times_are_columns(tmp_path: Path) -> None:
    path = tmp_path / "a[1]" / "0001.jsonl"
    path.parent.mkdir()
    times = {"sum_ns": 7, "hdr": "F"}
    told = snapshot(0.0, failed_time=times)
    told["snapshot"] |= {
        "operations": {"select": {"count": 4, "failed": 0, "service_time": {"sum_ns": 40, "hdr": "O"}}},
        "arrivals": {"due": 12, "started": 11, "unsent": 1, "backlog": 3},
    }
    with JobWriter(path, {"level": 0}) as writer:
        writer.event(told)
        writer.event(snapshot(1.0))
        writer.end({})
    rows = duckdb.execute(
        "SELECT failed_sum_ns, failed_hdr, operations['select'].count,"
        " operations['select'].service_time.sum_ns, arrivals.due, arrivals.backlog"
        " FROM read_parquet($file) ORDER BY start_s",
        {"file": glob.escape(str(kept(path)))},
    ).fetchall()
    assert rows == [(7, "F", 4, 40, 12, 3), (None, None, None, None, None, None)]


def test_a_job_that_has_not_ended_is_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "0001.jsonl"
    with JobWriter(path, {"level": 0}) as writer:
        writer.event(snapshot(0.0))
    assert kept(path) is None
    assert list(tmp_path.iterdir()) == [path]
