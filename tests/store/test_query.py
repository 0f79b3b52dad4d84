from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from igen.cli import run_arguments
from igen.errors import InputError
from igen.store.query import query
from igen.store.run import Run
from igen.store.store import Store

JOB = {
    "workload": "oltp",
    "targets": ["sqlite:///shop.db"],
    "params": {"customers": 7},
    "load": {"closed": {"users": 2}},
}


def interval(start_s: float, count: int, phase: str = "measure") -> dict[str, Any]:
    times = {"sum_ns": count * 1_000_000, "hdr": "H"}
    transactions = {"count": count, "failed": 0, "service_time": times}
    place = {"phase": phase, "start_s": start_s, "end_s": start_s + 0.5, "users": 2}
    return {"snapshot": {**place, "transactions": transactions, "counters": {"rows": 3}}}


def reading(at_s: float, **values: float) -> dict[str, Any]:
    return {"reading": {"at_s": at_s, "monitor": "made_up", "subject": "x", "counters": values}}


def execute(run: Run, events: Sequence[dict[str, Any]], *, killed: bool = False, **place: Any) -> Path:
    """A recorded job; a killed one has no end."""
    start = {"system": "shop", "level": 0, "repeat": 0, "purpose": "sweep", "job": JOB} | place
    with run.new_job({"run": run.id, "started_unix_s": 1e9, **start}) as writer:
        for event in events:
            writer.event(event)
        if not killed:
            writer.end({"exit_code": 0, "interrupted": False})
    return writer.path


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Two runs: one of two jobs, the second of them killed, and one of one job."""
    store = Store(tmp_path / "it's [a] store")
    first, second = (
        store.create_run(name=name, system=name, title=name, study={}) for name in ("first", "second")
    )
    execute(first, [interval(0, 5, "warmup"), interval(0.5, 10), reading(0.5, moved_bytes=8)])
    execute(first, [interval(0, 20), {"fact": {"name": "cpu.model", "value": "Q"}}], killed=True, repeat=1)
    execute(second, [interval(0, 40)])
    return store


def rows(store: Store, sql: str) -> list[tuple[Any, ...]]:
    return query(store, sql).rows


def test_intervals_of_all_runs_also_of_a_job_that_was_killed(store: Store) -> None:
    found = rows(
        store,
        "SELECT name, job, sum(count), max(throughput_per_s), max(response_mean_ms) FROM intervals JOIN runs"
        " USING (run) WHERE phase = 'measure' GROUP BY ALL ORDER BY ALL",
    )
    assert found == [("first", 1, 10, 20.0, 1.0), ("first", 2, 20, 40.0, 1.0), ("second", 1, 40, 80.0, 1.0)]


def parquet(store: Store) -> dict[str, int]:
    found = sorted(store.path.glob("*/jobs/*.parquet"))
    return {f"{path.parts[-3].split('-')[2]}/{path.stem}": path.stat().st_ino for path in found}


def test_intervals_of_jobs_that_have_ended_are_kept_from_the_first_query_on(store: Store) -> None:
    assert parquet(store) == {}
    first = rows(store, "SELECT * FROM intervals ORDER BY ALL")
    kept = parquet(store)
    assert list(kept) == ["first/0001", "second/0001"]
    assert rows(store, "SELECT * FROM intervals ORDER BY ALL") == first
    assert parquet(store) == kept, "not written again"


def test_a_job_that_has_changed_since_is_kept_anew(store: Store) -> None:
    count = "SELECT sum(count) FROM intervals"
    assert rows(store, count) == [(75,)]
    (path,) = store.path.glob("*-second-*/jobs/0001.jsonl")
    path.write_text(path.read_text().replace('"count":40', '"count":41'))
    assert rows(store, count) == [(76,)]


def test_a_store_that_cannot_be_written_gives_the_same_answer(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "read-only")

    monkeypatch.setattr("os.utime", refuse)
    assert rows(store, "SELECT count(*), sum(count) FROM intervals") == [(4, 75)]
    assert parquet(store) == {}
    assert not list(store.path.rglob("*.new"))


def test_without_the_extra_it_is_bad_input(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    assert run_arguments(["query", "SELECT 1", "--store", str(store.path)]) == 2


def test_jobs_tell_where_they_stand(store: Store) -> None:
    answer = query(
        store,
        "SELECT job, workload, load_model, users, repeat, targets, params, exit_code, started FROM jobs",
    )
    assert answer.columns[:3] == ["job", "workload", "load_model"]
    *place, started = answer.rows[1]
    assert place == [2, "oltp", "closed", 2, 1, ["sqlite:///shop.db"], {"customers": 7}, None]
    assert str(started) == "2001-09-09 01:46:40", "UTC"


def test_several_loads_at_once_have_a_model_of_their_own(store: Store) -> None:
    (folder,) = store.path.glob("*-second-*/jobs")
    path = folder / "0001.jsonl"
    job = {"workload": "model", "personas": {"clerks": {"load": {"closed": {"users": 2}}}}}
    line = {"job_start": {"job": job, "started_unix_s": 1e9}}
    path.write_text(f"{json.dumps(line)}\n")
    (found,) = rows(store, "SELECT load_model, users FROM jobs JOIN runs USING (run) WHERE name = 'second'")
    assert found == ("several", None)


def test_readings_and_facts_are_read_from_what_was_recorded(store: Store) -> None:
    assert rows(store, "SELECT job, monitor, subject, metric, value, kind FROM readings") == [
        (1, "made_up", "x", "moved_bytes", 8.0, "counter")
    ]
    assert rows(store, "SELECT job, value FROM facts WHERE name = 'cpu.model'") == [(2, "Q")]


def test_readings_of_other_machines_are_told_apart(store: Store) -> None:
    (folder,) = store.path.glob("*-second-*/jobs")
    line = {"reading": reading(1.5, moved_bytes=9)["reading"] | {"host": "ssh://db1"}}
    with (folder / "0001.jsonl").open("a") as file:
        file.write(f"{json.dumps(line)}\n")
    assert rows(store, "SELECT host, value FROM readings ORDER BY value") == [("", 8.0), ("ssh://db1", 9.0)]
    assert rows(store, "SELECT value FROM readings WHERE host NOT LIKE '%://%'") == [(8.0,)]


def test_a_run_that_never_had_a_job_has_no_rows(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.create_run(name="empty", system="s", title="t", study={})
    assert rows(store, "SELECT name, jobs FROM runs") == [("empty", 0)]
    for table in ("jobs", "intervals", "readings", "facts"):
        assert rows(store, f"SELECT count(*) FROM {table}") == [(0,)]


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("SELEC 1", 'syntax error at or near "SELEC"'),
        ("SELECT spin FROM jobs", 'Referenced column "spin" not found'),
        ("SELECT * FROM run", "Table with name run does not exist"),
        ("", "needs a single SELECT statement"),
        ("SELECT 1; SELECT 2", "needs a single SELECT statement"),
        ("COPY runs TO 'x.csv'", "needs a single SELECT statement"),
        ("DELETE FROM runs", "needs a single SELECT statement"),
        ("SET threads = 1", "needs a single SELECT statement"),
        ("SELECT * FROM read_text('/etc/passwd')", "file system operations are disabled"),
    ],
)
def test_what_is_wrong_is_told_with_a_hint(store: Store, sql: str, text: str) -> None:
    with pytest.raises(InputError) as raised:
        query(store, sql)
    assert text in raised.value.text
    assert "\n" not in raised.value.text
    assert raised.value.where == "SQL"
    assert "intervals" in raised.value.hint


def test_nothing_is_written(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    query(store, "SELECT 1")  # brings the catalog and the Parquet files up to date
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    query(store, "SELECT * FROM intervals ORDER BY count")
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_an_empty_store_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no runs"):
        query(Store(tmp_path / "nothing"), "SELECT 1")
