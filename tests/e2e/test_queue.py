"""Studies that wait their turn, runners that die, and runs that are stopped from elsewhere."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from command_line import LONG, PATIENCE_S, UNWATCHED, Done, measured, state, wait_for

from igen.errors import IgenError
from igen.store.active import active_runs
from igen.store.store import Store
from igen.workbench.stop import stop
from tests.obeys import obeying

Igen = Callable[[str], Done]
Start = Callable[..., subprocess.Popen[str]]
STUDY = f"""plan = {{ mode = "sweep", repeats = 1 }}
[job]
workload = "model"
params = {{ service_time = "1ms" }}
phases = {{ warmup_s = 0, measure_s = "%s" }}
{UNWATCHED}
[axes]
"load.closed.users" = [1]
"""


@pytest.fixture
def studies(store: Path) -> Iterator[Path]:
    """Studies that are over at once, and one that does not end by itself: a study outlives who began it."""
    (store.parent / "short.toml").write_text(STUDY % "0.3s")
    (store.parent / "long.toml").write_text(STUDY % "1h")
    yield store.parent
    for run in active_runs(store):
        with suppress(IgenError):
            stop(run, Store(store))


def jobs(igen: Igen) -> list[dict[str, Any]]:
    """The queue by job, as its schema says."""
    document = obeying(json.loads(igen("queue list --json").out), "queue")
    assert document["damaged"] == []
    return sorted(document["jobs"], key=lambda job: int(job["job"]))


def states(igen: Igen) -> list[str]:
    return [job["state"] for job in jobs(igen)]


def test_all_are_accounted_for_when_the_runner_is_killed(
    igen: Igen, start: Start, store: Path, studies: Path
) -> None:
    assert igen("queue add short.toml long.toml short.toml").code == 0
    assert igen("queue add short.toml --after 2").code == 0
    (studies / "short.toml").unlink()
    (studies / "long.toml").unlink()
    runner = start("queue run --quiet")
    wait_for(lambda: jobs(igen)[1]["run"], runner)
    long_run = jobs(igen)[1]["run"]
    wait_for(lambda: list((store / long_run / "jobs").glob("*")), runner)
    runner.send_signal(signal.SIGKILL)
    runner.wait()
    assert states(igen) == ["done", "running", "waiting", "waiting"]

    again = start("queue run --once")
    assert again.stderr is not None
    # The study outlived its runner, and no other begins beside it.
    assert "waiting for job 2" in again.stderr.readline()
    assert states(igen) == ["done", "running", "waiting", "waiting"]
    assert igen(f"stop {long_run}").out == f"Stopped {long_run}.\n"
    _, err = again.communicate(timeout=PATIENCE_S)
    assert again.returncode == 0, err
    assert states(igen) == ["done", "stopped", "done", "failed"]
    first, stopped, third, dependent = jobs(igen)
    assert (stopped["run"], dependent["run"]) == (long_run, "")
    assert dependent["reason"] == "job 2, after which it was to run, was stopped"
    runs = {row["run"]: row["state"] for row in json.loads(igen("list runs --json").out)}
    assert runs == {first["run"]: "complete", long_run: "interrupted", third["run"]: "complete"}


def test_a_runner_that_is_told_to_end_stops_its_study(
    igen: Igen, start: Start, store: Path, studies: Path
) -> None:
    assert igen("queue add long.toml short.toml --group night --set service_time=2ms").code == 0
    runner = start("queue run")
    wait_for(lambda: measured(store), runner)
    second = igen("queue run --once")
    assert (second.code, "another command is working off the queue" in second.err) == (1, True)
    runner.send_signal(signal.SIGTERM)
    _, err = runner.communicate(timeout=PATIENCE_S)
    assert runner.returncode == 130, err
    assert states(igen) == ["stopped", "waiting"]
    assert state(igen) == "interrupted"
    job = json.loads(igen("show last --json").out)["systems"][0]["levels"][0]
    assert job["transactions"] > 0
    assert igen("queue hold 1").err.startswith("igen: error: JOB: job 1 is stopped")
    assert igen("queue hold night").code == igen("queue run --once").code == 0
    assert states(igen) == ["stopped", "held"]
    assert igen("queue release 2").code == igen("queue run --once").code == 0
    assert states(igen) == ["stopped", "done"]
    started = [
        json.loads(path.read_text().splitlines()[0])["job_start"] for path in store.glob("*/jobs/*.jsonl")
    ]
    assert [each["job"]["params"]["service_time"] for each in started] == ["2ms", "2ms"]
    assert igen("queue remove night").code == 0
    assert jobs(igen) == []
    assert len(json.loads(igen("list runs --json").out)) == 2


def test_what_repeats_itself_is_there_again_when_it_has_ended(igen: Igen, studies: Path) -> None:
    assert igen("queue add short.toml --every 1d").code == 0
    assert igen("queue run --once").code == 0
    over, again = jobs(igen)
    assert (over["state"], again["state"], again["follows"]) == ("done", "waiting", 1)
    assert again["at_unix_s"] == pytest.approx(over["started_unix_s"] + 86400)
    assert igen("queue run --once").code == 0
    assert states(igen) == ["done", "waiting"]


def test_a_study_tells_the_program_that_starts_it_which_run_it_became(
    igen: Igen, studies: Path, store: Path
) -> None:
    refused = igen("study run short.toml --announce 987")
    assert (refused.code, "descriptor 987 is not open" in refused.err) == (2, True)
    assert not store.exists()
    with (studies / "run").open("w+") as announced:
        assert igen(f"study run short.toml --quiet --announce {announced.fileno()}").code == 0
        (row,) = json.loads(igen("list runs --json").out)
        assert (studies / "run").read_text() == f"{row['run']}\n"


# 7 s: tests/console/test_stopped.py stops a run by the same function.
@pytest.mark.slow
def test_a_run_that_somebody_began_is_stopped_by_its_name(igen: Igen, start: Start, store: Path) -> None:
    assert igen("stop last").err.startswith("igen: error: RUN: no run is active")
    process = start(f"run model --repeats 1 --set service_time=2ms {LONG} --quiet")
    wait_for(lambda: len(measured(store)) >= 2, process)
    (run,) = [row["run"] for row in json.loads(igen("list runs --json").out)]
    unknown = igen("stop nonsense")
    assert (unknown.code, "no run `nonsense`" in unknown.err) == (2, True)
    assert process.poll() is None
    stopped = igen("stop last")
    assert stopped.out == f"Stopped {run}.\n"
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, err
    assert "results so far are kept" in err
    assert state(igen) == "interrupted"
    over = igen(f"stop {run}")
    assert (over.code, f"{run} is not running" in over.err) == (2, True)


def test_a_mark_that_names_another_process_stops_nothing(igen: Igen, start: Start, store: Path) -> None:
    process = start(f"run model --repeats 1 --set service_time=2ms {LONG} --quiet")
    wait_for(lambda: measured(store), process)
    (mark,) = (store / ".active").iterdir()
    said = json.loads(mark.read_text())
    mark.write_text(json.dumps(said | {"started_ticks": said["started_ticks"] - 1}))
    refused = igen("stop last")
    assert (refused.code, "is not running on this machine" in refused.err) == (2, True)
    assert process.poll() is None
