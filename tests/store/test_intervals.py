from __future__ import annotations

from pathlib import Path

import pytest

from igen.errors import IgenError
from igen.store.intervals import write_parquet
from igen.store.job_file import JobWriter


def snapshot(start_s: float, **more: object) -> dict[str, object]:
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
    import duckdb

    path = tmp_path / "0001.jsonl"
    with JobWriter(path, {"level": 0}) as writer:
        writer.event(snapshot(0.0))
        writer.event({"fact": {"name": "n", "value": 1}})
        writer.event(snapshot(1.0, response_time={"sum_ns": 900, "hdr": "R"}))
        writer.line(b'{"snapshot": {"phase": "meas')
        writer.end({})
    parquet = write_parquet(path)
    rows = duckdb.sql(
        "SELECT start_s, users, count, failed, service_sum_ns, response_sum_ns, response_hdr,"
        f" counters['rows'] FROM '{parquet}'"
    ).fetchall()
    assert rows == [(0.0, 2, 10, 1, 500, 500, "S", 13), (1.0, 2, 10, 1, 500, 900, "R", 13)]


def test_what_cannot_be_written_is_an_error_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(IgenError):
        write_parquet(tmp_path / "none.jsonl")
    assert list(tmp_path.iterdir()) == []
