"""What was measured stays readable, whatever happens while it is measured."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import PATIENCE_S, Done, events, has_ended, measured, wait_for

Igen = Callable[[str], Done]
Start = Callable[..., subprocess.Popen[str]]
LONG = "--duration 20s --warmup 0s"


def test_an_interrupt_keeps_what_was_measured(igen: Igen, start: Start, store: Path) -> None:
    process = start(f"run model --users 1,2 --repeats 1 --set service_time=2ms {LONG} --quiet")
    wait_for(lambda: len(measured(store)) >= 2, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, err
    assert "interrupted; what was measured is kept" in err
    assert "1 level" in out
    shown = igen("show last --json")
    (level,) = shown.document["systems"][0]["levels"]
    assert level["transactions"] > 0
    assert events(store, "job_end")[0]["exit_code"] == 130
    assert json.loads(igen("list runs --json").out)[0]["state"] == "interrupted"


def test_a_second_interrupt_does_not_wait(start: Start, store: Path) -> None:
    process = start(f"run model --repeats 1 --set service_time=500ms {LONG} --quiet")
    wait_for(lambda: measured(store), process)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, err


def test_an_interrupt_before_anything_was_measured_says_so(start: Start, store: Path) -> None:
    process = start(f"run model --repeats 1 --set service_time=2ms {LONG} --quiet")
    wait_for(lambda: list(store.glob("*/floor.jsonl")), process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert out == "" or "1 level" in out


def test_an_agent_that_is_killed_costs_one_repeat(igen: Igen, start: Start, store: Path) -> None:
    process = start(
        "run model --users 1 --repeats 2 --set service_time=2ms --duration 0.6s --warmup 0s --quiet"
    )
    wait_for(lambda: measured(store), process)
    os.kill(events(store, "hello")[0]["pid"], signal.SIGKILL)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1, err
    assert "killed by SIGKILL" in err
    assert [end["signal"] for end in events(store, "job_end")] == [signal.SIGKILL, None]
    repeats = igen("show last --json").document["systems"][0]["levels"][0]["repeats"]
    assert [repeat["verdict"] == "INVALID" for repeat in repeats] == [True, False]
    assert "users" in out


def test_an_igen_that_is_killed_leaves_a_run_that_opens(igen: Igen, start: Start, store: Path) -> None:
    process = start(f"run model --repeats 1 --set service_time=2ms {LONG} --quiet")
    wait_for(lambda: len(measured(store)) >= 2, process)
    agent = events(store, "hello")[0]["pid"]
    process.kill()
    process.wait()
    shown = igen("show last --json")
    assert any("cut off" in warning for warning in shown.document["systems"][0]["warnings"])
    assert json.loads(igen("list runs --json").out)[0]["state"] == "cut off"
    # Nobody reads what it says any more, so the agent ends too.
    wait_for(lambda: has_ended(agent))


def test_a_database_that_is_removed_in_the_middle_ends_the_job(igen: Igen, start: Start, store: Path) -> None:
    target = f"--target sqlite:///{store.parent}/shop.db --set customers=200"
    process = start(f"run oltp {target} --users 1 --repeats 1 --duration 1s --warmup 0s --quiet")
    wait_for(lambda: measured(store), process)
    for path in store.parent.glob("shop.db*"):
        path.unlink()
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1, err
    (level,) = igen("show last --json").document["systems"][0]["levels"]
    assert level["verdict"] == "INVALID"


def test_two_runs_in_one_store_know_of_each_other(igen: Igen, start: Start, store: Path) -> None:
    line = "run model --users 1 --repeats 1 --set service_time=2ms --duration 2s --warmup 0s"
    processes = [start(f"{line} --json --name {name}") for name in ("a", "b")]
    for process in processes:
        _, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, err
        assert "another run is going on" in err
    for name in ("a", "b"):
        (level,) = igen(f"show {name} --json").document["systems"][0]["levels"]
        assert level["verdict"] != "VALID"
        assert any("other run was active" in reason for reason in level["reasons"])
    states = [row["state"] for row in json.loads(igen("list runs --json").out)]
    assert states == ["complete", "complete"]


def test_a_full_disk_ends_the_run_and_keeps_what_was_written(igen: Igen, start: Start, store: Path) -> None:
    room = 30_000

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    line = "run model --repeats 1 --set service_time=2ms --duration 5s --warmup 0s --quiet"
    process = start(line, preexec_fn=limit)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1, err
    assert "0001.jsonl: cannot write: file too large" in err
    assert "--store" in err
    document = igen("show last --json").document
    assert document["systems"][0]["levels"][0]["transactions"] > 0


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
        assert shown.document["systems"][0]["warnings"], size
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
