from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from typing import Any

import msgspec
import pytest

from igen.errors import IgenError
from igen.store.active import ActiveRun
from igen.store.catalog import CATALOG_FILE
from igen.store.run import Run, RunOutcome
from igen.store.store import Store


def add_run(store: Store, *ends: dict[str, Any] | None, outcome: RunOutcome = "complete") -> Run:
    run = store.create_run(name="cpu", system="s", title="t", study={})
    for level, end in enumerate(ends):
        with run.new_job({"level": level, "job": {"workload": "cpu"}}) as writer:
            if end is not None:
                writer.end(end)
    run.write_outcome(outcome)
    return run


GOOD = {"exit_code": 0, "signal": None}


@pytest.mark.parametrize(
    ("ends", "state"),
    [
        ([GOOD, GOOD], "complete"),
        ([GOOD, {"exit_code": 1, "signal": None}], "failed"),
        ([{"exit_code": None, "signal": 9}, GOOD], "failed"),
        ([GOOD, {"exit_code": 130, "signal": None}], "interrupted"),
        ([GOOD, {"exit_code": None, "signal": 9, "interrupted": True}], "interrupted"),
        ([{"exit_code": 1, "signal": None, "interrupted": False}, GOOD], "failed"),
        ([GOOD, None], "cut off"),
        ([], "cut off"),
    ],
)
def test_the_state_of_a_run_is_told_by_its_jobs(tmp_path: Path, ends: list[Any], state: str) -> None:
    store = Store(tmp_path)
    add_run(store, *ends)
    (row,) = store.list_runs()
    assert (row.state, row.jobs, row.levels) == (state, len(ends), len(ends))
    assert row.workload == ("cpu" if ends else "")


@pytest.mark.parametrize(
    ("outcome", "state"),
    [
        ("complete", "complete"),
        # Ctrl-C after a job has ended and before the next one, whatever its jobs say.
        ("interrupted", "interrupted"),
        ("failed", "failed"),
        # iGen was killed between two jobs.
        ("begun", "cut off"),
    ],
)
def test_a_run_whose_jobs_are_complete_need_not_be(tmp_path: Path, outcome: RunOutcome, state: str) -> None:
    store = Store(tmp_path)
    add_run(store, GOOD, GOOD, outcome=outcome)
    (row,) = store.list_runs()
    assert row.state == state


def test_the_state_of_a_run_of_an_earlier_version_is_told_by_its_jobs_alone(tmp_path: Path) -> None:
    store = Store(tmp_path)
    path = add_run(store, GOOD).folder / "run.json"
    record = msgspec.json.decode(path.read_bytes())
    path.write_bytes(msgspec.json.encode({k: v for k, v in record.items() if k not in ("outcome", "crc32")}))
    (row,) = store.list_runs()
    assert row.state == "complete"


def test_a_run_that_goes_on_is_running(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run = add_run(store, GOOD)
    with ActiveRun(store.path, run.id):
        assert store.list_runs()[0].state == "running"
    assert store.list_runs()[0].state == "complete"


def test_the_catalog_follows_the_folders(tmp_path: Path) -> None:
    store = Store(tmp_path)
    first, second = add_run(store, GOOD), add_run(store, GOOD)
    assert [row.run for row in store.list_runs()] == [first.id, second.id]
    shutil.rmtree(first.folder)
    with second.new_job({"level": 1, "job": {}}) as writer:
        writer.end({"exit_code": 1, "signal": None})
    (row,) = store.list_runs()
    assert (row.run, row.state) == (second.id, "failed")


def test_a_missing_broken_or_older_catalog_is_rebuilt(tmp_path: Path) -> None:
    store = Store(tmp_path)
    add_run(store, GOOD)
    rows = store.list_runs()
    catalog = tmp_path / CATALOG_FILE
    catalog.unlink()
    assert store.list_runs() == rows
    catalog.write_bytes(b"this is no database at all" * 100)
    assert store.list_runs() == rows
    with sqlite3.connect(catalog) as connection:
        connection.execute("DROP TABLE runs")
        connection.execute("PRAGMA user_version = 0")
    assert store.list_runs() == rows


def test_a_catalog_that_another_process_keeps_locked_does_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path)
    add_run(store, GOOD)
    rows = store.list_runs()
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda name, timeout: connect(name, timeout=0.0))
    add_run(store, GOOD)
    other = connect(tmp_path / CATALOG_FILE)
    other.execute("BEGIN EXCLUSIVE")
    assert store.list_runs()[:1] == rows
    assert len(store.list_runs()) == 2
    other.close()


def test_reading_a_store_that_is_not_there_makes_none(tmp_path: Path) -> None:
    assert Store(tmp_path / "none").list_runs() == []
    assert not (tmp_path / "none").exists()


def test_a_run_that_cannot_be_read_is_an_error_with_its_place(tmp_path: Path) -> None:
    run = add_run(Store(tmp_path), GOOD)
    (run.folder / "jobs/0002.jsonl").mkdir()
    with pytest.raises(IgenError, match="folder") as caught:
        Store(tmp_path).list_runs()
    assert caught.value.where == str(run.folder / "jobs/0002.jsonl")
    assert caught.value.hint
