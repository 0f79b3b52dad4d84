from __future__ import annotations

import fcntl
import os
import sys
import time
from pathlib import Path

import pytest

from igen.errors import IgenError, InputError
from igen.queue.study_process import RUN_FILE, goes_on
from igen.store.job_file import read_job_file
from igen.store.run import Run
from igen.store.store import Store
from igen.version import VERSION
from igen.workbench.asker import in_console
from igen.workbench.begun import BEGUN_FOLDER, LOG_FILE, STUDY_FILE, forget, forget_old, not_begun
from igen.workbench.launch import launch
from igen.workbench.own_command import error_of, own_command
from igen.workbench.stop import stop
from tests.waiting import wait_for

STUDY = """
name = "later"
plan = { mode = "sweep", repeats = 1 }

[job]
workload = "model"
phases = { warmup_s = "0s", measure_s = "60s" }

[axes]
"load.closed.users" = [1]
"""


def test_a_run_that_was_launched_is_one_like_any_other(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run = launch(STUDY, store)
    assert [(row.run, row.state) for row in store.list_runs()] == [(run, "running")]
    assert (tmp_path / run / "study.toml").read_text(encoding="utf-8") == STUDY
    assert [*(tmp_path / BEGUN_FOLDER).iterdir()] == []
    stop(run, store)
    assert [row.state for row in store.list_runs()] == ["interrupted"]


def test_a_run_that_takes_long_to_begin_lives_and_is_listed(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert launch(STUDY, store, patience_s=0.0) == ""
    wait_for(lambda: bool(store.list_runs()))
    (row,) = store.list_runs()
    # It was moved there only after the study had told its run.
    wait_for((tmp_path / row.run / "study.toml").is_file)
    wait_for(lambda: [*(tmp_path / BEGUN_FOLDER).iterdir()] == [])
    assert [each.state for each in store.list_runs()] == ["running"]
    stop(row.run, store)
    assert [each.state for each in store.list_runs()] == ["interrupted"]


def test_what_fails_after_that_keeps_what_it_said(tmp_path: Path) -> None:
    assert launch(STUDY.replace("model", "none-such"), Store(tmp_path), patience_s=0.0) == ""
    (folder,) = (tmp_path / BEGUN_FOLDER).iterdir()
    wait_for(lambda: not goes_on(folder))
    assert "unknown workload" in (folder / LOG_FILE).read_text(encoding="utf-8")
    store, now_unix_s = Store(tmp_path), time.time()
    (told,) = not_begun(store, now_unix_s)
    assert (told.id, told.name) == (folder.name, "later")
    assert told.reason == "workload: unknown workload `none-such`"
    with pytest.raises(InputError):
        forget(store, "../.begun")
    forget(store, folder.name)
    assert not_begun(store, now_unix_s) == []


def test_what_prepares_is_not_forgotten_and_what_failed_long_ago_is(tmp_path: Path) -> None:
    store = Store(tmp_path)
    folders = [tmp_path / BEGUN_FOLDER / name for name in ("new", "prepares", "failed", "old")]
    for folder in folders:
        folder.mkdir(parents=True)
        if folder.name != "new":
            (folder / RUN_FILE).touch()
    with (folders[1] / RUN_FILE).open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        for folder in folders[1::2]:
            os.utime(folder, (0, 0))
        told = {each.id: bool(each.reason) for each in not_begun(store, time.time())}
        assert told == {"new": False, "prepares": False, "failed": True, "old": True}
        forget_old(store)
        assert {each.id for each in not_begun(store, time.time())} == {"new", "prepares", "failed"}
        with pytest.raises(InputError):
            forget(store, "prepares")


def test_of_what_failed_only_the_end_is_read_and_what_is_no_study_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / BEGUN_FOLDER / "failed"
    folder.mkdir(parents=True)
    (folder / RUN_FILE).touch()
    (folder / LOG_FILE).write_text("igen: error: long ago\n" + "x" * 9_000 + "\nigen: error: no room\n")
    (tmp_path / BEGUN_FOLDER / "stray").write_text("of somebody")
    (tmp_path / BEGUN_FOLDER / "gone").symlink_to(tmp_path / "none")
    (told,) = not_begun(Store(tmp_path), time.time())
    assert (told.id, told.reason) == ("failed", "no room")


def test_a_run_keeps_who_started_it_in_a_console(tmp_path: Path) -> None:
    store = Store(tmp_path)
    study = STUDY.replace('"60s"', '"200ms"')
    run = Run(tmp_path / launch(study, store, in_console("run", "Anna", guarded=True)))
    wait_for(lambda: run.read_record().outcome == "complete")
    (job,) = map(read_job_file, run.job_paths())
    facts = {event["fact"]["name"]: event["fact"]["value"] for event in job.events if "fact" in event}
    assert facts["environment.console"] == {"name": "Anna", "role": "run", "version": VERSION}


def test_what_began_without_its_console_is_kept_by_the_next(
    tmp_path: Path,
) -> None:
    store = Store(tmp_path)
    run = store.create_run(name="x", system="s", title="t", study={})
    folder = tmp_path / BEGUN_FOLDER / "earlier"
    folder.mkdir(parents=True)
    for name, text in ((STUDY_FILE, STUDY), (LOG_FILE, ""), (RUN_FILE, f"{run.id}\n")):
        (folder / name).write_text(text, encoding="utf-8")
    with pytest.raises(InputError):
        launch(STUDY.replace("model", "none-such"), store)
    assert (run.folder / STUDY_FILE).read_text(encoding="utf-8") == STUDY
    assert [*(tmp_path / BEGUN_FOLDER).iterdir()] == []


def test_what_cannot_be_started_leaves_no_descriptor_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/none")
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(IgenError):
        launch(STUDY, Store(tmp_path))
    assert len(os.listdir("/proc/self/fd")) == before
    assert [*(tmp_path / BEGUN_FOLDER).iterdir()] == []


def test_what_cannot_begin_says_why_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unknown workload") as caught:
        launch(STUDY.replace("model", "none-such"), Store(tmp_path))
    assert BEGUN_FOLDER not in str(caught.value)
    assert [*(tmp_path / BEGUN_FOLDER).iterdir()] == []


def test_the_error_of_a_command_is_an_error_here() -> None:
    error = error_of(["Trying", "igen: error: no such run", "hint: look again"], 2)
    assert (type(error), error.text, error.hint) == (InputError, "no such run", "look again")
    with pytest.raises(InputError):
        own_command(["show", "none", "--store", "/none"])
