"""What was measured stays readable, whatever happens while it is measured."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import LONG, PATIENCE_S, Done, events, has_ended, measured, state, wait_for

from igen.store.job_file import read_job_file
from tests.said import rules_in

Igen = Callable[[str], Done]
Start = Callable[..., subprocess.Popen[str]]


def test_an_agent_that_is_killed_leaves_what_it_measured(igen: Igen, start: Start, store: Path) -> None:
    # Once each: a repeat that others disturbed would be replaced.
    process = start(f"run model --users 1,2 --repeats 1 --set service_time=2ms {LONG} --quiet")
    for job in ("0001", "0002"):
        wait_for(lambda job=job: len(measured(store, job)) >= 2, process)
        os.kill(events(store, "hello", job)[0]["pid"], signal.SIGKILL)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1, err
    assert "killed by SIGKILL" in err
    assert "users" in out
    assert [end["signal"] for end in events(store, "job_end")] == [signal.SIGKILL, signal.SIGKILL]
    levels = igen("show last --json").document["systems"][0]["levels"]
    assert [level["trust"]["verdict"] for level in levels] == ["INVALID", "INVALID"]
    assert all(level["transactions"] > 0 for level in levels)
    assert state(igen) == "failed"


def test_an_igen_that_is_killed_leaves_a_run_that_opens(igen: Igen, start: Start, store: Path) -> None:
    process = start(f"run model --repeats 1 --set service_time=2ms {LONG} --quiet")
    wait_for(lambda: len(measured(store)) >= 2, process)
    agent = events(store, "hello")[0]["pid"]
    process.kill()
    process.wait()
    shown = igen("show last --json")
    assert "file-cut-off" in [each["rule"] for each in shown.document["systems"][0]["findings"]]
    assert state(igen) == "cut off"
    # Nobody reads what it says any more, so the agent ends too.
    wait_for(lambda: has_ended(agent))


# 9 s: test_disk.py ends jobs by faults of the disk.
@pytest.mark.slow
def test_a_database_that_is_removed_in_the_middle_ends_the_job(igen: Igen, start: Start, store: Path) -> None:
    target = f"--target sqlite:///{store.parent}/shop.db --set customers=200"
    process = start(f"run oltp {target} --users 1 --repeats 1 --duration 3s --warmup 0s --quiet")
    wait_for(lambda: measured(store), process)
    for path in store.parent.glob("shop.db*"):
        path.unlink()
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1, err
    (level,) = igen("show last --json").document["systems"][0]["levels"]
    assert level["trust"]["verdict"] == "INVALID"


def test_two_runs_in_one_store_know_of_each_other(igen: Igen, start: Start, store: Path) -> None:
    line = f"run model --users 1 --repeats 1 --set service_time=2ms {LONG}"
    processes = [start(f"{line} --json --name {name}") for name in ("a", "b")]
    wait_for(lambda: len(concurrent_runs(store)) == 2, processes[0])
    for process in processes:
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 130, err
        assert "another run is active" in err
    for name in ("a", "b"):
        (level,) = igen(f"show {name} --json").document["systems"][0]["levels"]
        assert "concurrent-runs" in rules_in(level)
    states = [row["state"] for row in json.loads(igen("list runs --json").out)]
    assert states == ["interrupted", "interrupted"]


def concurrent_runs(store: Path) -> list[int]:
    """What each run in the store noticed of others so far."""
    facts = events(store, "fact")
    return [fact["value"] for fact in facts if fact["name"] == "environment.concurrent_runs"]


def runs_that_measure(store: Path) -> list[str]:
    """The systems of the runs in the store that have measured something."""
    files = [read_job_file(path) for path in store.glob("*/jobs/0001.jsonl")]
    return [
        file.start["system"]
        for file in files
        if file.start
        and sum(event.get("snapshot", {}).get("phase") == "measure" for event in file.events) > 2
    ]


# 10 s: test_two_runs_in_one_store_know_of_each_other has two runs at once.
@pytest.mark.slow
def test_two_runs_on_one_database_share_it(igen: Igen, start: Start, store: Path) -> None:
    target = f"--target sqlite:///{store.parent}/shop.db --set customers=200"
    assert igen(f"data prepare oltp {target}").code == 0
    processes = [start(f"run oltp {target} --repeats 1 {LONG} --quiet --name {name}") for name in ("a", "b")]
    wait_for(lambda: sorted(runs_that_measure(store)) == ["a", "b"], processes[0])
    for process in processes:
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 130, err
    for name in ("a", "b"):
        (level,) = igen(f"show {name} --json").document["systems"][0]["levels"]
        assert level["transactions"] > 0
        assert level["errors"] == 0
    with sqlite3.connect("shop.db") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.parametrize("name", ["run.json", "floor.jsonl", "jobs/0001.jsonl", "jobs/0002.jsonl"])
def test_a_run_cut_off_at_any_byte_opens_with_a_warning(
    igen: Igen, store: Path, a_run: Path, name: str
) -> None:
    shutil.copytree(a_run, store / a_run.name)
    path = store / a_run.name / name
    data = path.read_bytes()
    for size in [0, 1, *range(len(data) // 7, len(data) - 2, len(data) // 7), len(data) - 2]:
        path.write_bytes(data[:size])
        shown = igen("show last --json")
        assert shown.code == 0, (size, shown.err)
        assert shown.document["systems"][0]["findings"], size
        assert json.loads(igen("list runs --json").out)[0]["run"] == a_run.name


@pytest.fixture(scope="module")
def a_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run that is whole."""
    from igen.cli import run_arguments

    store = tmp_path_factory.mktemp("whole")
    line = "run noop --repeats 2 --duration 0.3s --warmup 0s --quiet --json"
    assert run_arguments([*line.split(), "--store", str(store)]) == 0
    (run,) = (path for path in store.iterdir() if (path / "run.json").exists())
    return run


def test_a_run_of_one_repeat_opens_and_one_of_none_says_so(igen: Igen, store: Path, a_run: Path) -> None:
    run = store / a_run.name
    shutil.copytree(a_run, run)
    first, *others = sorted(run.glob("jobs/*.jsonl"))
    for other in others:
        other.unlink()
    (level,) = igen("show last --json").document["systems"][0]["levels"]
    assert len(level["repeats"]) == 1
    first.unlink()
    shown = igen("show last --all")
    assert "nothing was recorded" in shown.out + shown.err
    assert state(igen) == "cut off"
