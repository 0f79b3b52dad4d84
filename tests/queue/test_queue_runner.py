from __future__ import annotations

import fcntl
from collections.abc import Callable
from pathlib import Path

import pytest
from queue_entries import made

from igen.errors import IgenError
from igen.fleet.interrupts import Interrupts
from igen.own_folder import only_one
from igen.queue import runner as runner_module
from igen.queue.entry import Entry
from igen.queue.folder import QueueFolder
from igen.queue.listing import listing
from igen.queue.runner import RUNNER_FOLDER, Runner
from igen.queue.study_process import LOG_FILE, RUN_FILE
from igen.store.active import ActiveRun
from igen.store.run import RunOutcome
from igen.store.store import Store

CarryOut = Callable[[Entry, QueueFolder, Interrupts], int]


@pytest.fixture
def queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> QueueFolder:
    monkeypatch.setattr(runner_module, "LOOK_S", 0.01)
    return QueueFolder(tmp_path)


def add(queue: QueueFolder, *entries: Entry) -> None:
    with queue.locked():
        for entry in entries:
            assert queue.new_number() == entry.job
            queue.write(entry)


def work_off(queue: QueueFolder, carry_out: CarryOut, say: Callable[[str], None] = print) -> list[str]:
    assert not Runner(queue=queue, say=say, carry_out=carry_out).run(once=True)
    return [entry.state for entry in queue.read().entries]


def well(_entry: Entry, _queue: QueueFolder, _interrupts: Interrupts) -> int:
    return 0


def test_what_the_study_said_last_is_the_reason(queue: QueueFolder) -> None:
    def badly(entry: Entry, _queue: QueueFolder, _interrupts: Interrupts) -> int:
        folder = queue.job_folder(entry.job)
        (folder / RUN_FILE).write_text("a-run\n")
        (folder / LOG_FILE).write_text("x" * 9000 + "\nigen: error: first\nigen: error: last\nhint: none\n")
        return 1

    add(queue, made(1), made(2, after=1))
    assert work_off(queue, badly) == ["failed", "failed"]
    first, second = queue.read().entries
    assert (first.run, first.reason) == ("a-run", "last")
    assert second.reason == "job 1, after which it was to run, has failed"


def test_a_study_that_cannot_be_started_does_not_stop_the_queue(queue: QueueFolder) -> None:
    def once_refused(entry: Entry, _queue: QueueFolder, _interrupts: Interrupts) -> int:
        if entry.job == 1:
            raise FileNotFoundError(2, "No such file or directory", "/gone")
        return 0

    add(queue, made(1), made(2))
    assert work_off(queue, once_refused) == ["failed", "done"]
    assert "/gone" in queue.read().entries[0].reason


def test_a_study_that_outlived_its_runner_is_waited_for(queue: QueueFolder) -> None:
    add(queue, made(1, "running"), made(2))
    path = queue.job_folder(1) / RUN_FILE
    path.write_text("a-run\n")
    announced = path.open("r+")
    fcntl.flock(announced, fcntl.LOCK_EX)
    assert [entry.run for entry in listing(queue).jobs] == ["a-run", ""]
    said: list[str] = []

    def say(text: str) -> None:
        said.append(text)
        if "outlived" in text:
            announced.close()

    assert work_off(queue, well, say) == ["lost", "done"]
    assert said == [
        "waiting for job 1, which outlived the runner that began it",
        "job 1 lost, run a-run: the runner ended before it; run a-run is not in the store",
        "job 2 begins: a.toml",
        "job 2 done",
    ]
    assert queue.read().entries[0].run == "a-run"


@pytest.mark.parametrize(
    ("outcome", "state"),
    [("complete", "done"), ("interrupted", "stopped"), ("failed", "failed"), ("begun", "lost")],
)
def test_a_job_whose_runner_was_killed_has_the_state_of_its_run(
    queue: QueueFolder, outcome: RunOutcome, state: str
) -> None:
    run = Store(queue.path.parent).create_run(name="a", system="a", title="a", study={})
    with run.new_job({"run": run.id}) as job:
        job.end({"exit_code": int(outcome == "failed"), "interrupted": outcome == "interrupted"})
    run.write_outcome(outcome)
    add(queue, made(1, "running"))
    (queue.job_folder(1) / RUN_FILE).write_text(f"{run.id}\n")
    assert [(entry.state, entry.run) for entry in listing(queue).jobs] == [(state, run.id)]
    assert work_off(queue, well) == [state]
    assert queue.read().entries[0].run == run.id


def test_no_study_begins_while_another_run_goes_on(queue: QueueFolder) -> None:
    add(queue, made(1))
    other = ActiveRun(queue.path.parent, "by-hand")
    said: list[str] = []

    def say(text: str) -> None:
        said.append(text)
        if "by-hand" in text:
            other.__exit__()

    assert work_off(queue, well, say) == ["done"]
    assert said[:2] == ["waiting for a run that goes on: by-hand", "job 1 begins: a.toml"]


def test_damage_is_told_once_and_the_rest_runs(queue: QueueFolder) -> None:
    add(queue, made(1), made(2))
    (queue.path / "0001.json").write_text("{")
    said: list[str] = []
    work_off(queue, well, said.append)
    (warning,) = [text for text in said if text.startswith("warning")]
    assert "0001.json is left alone" in warning
    assert [entry.state for entry in queue.read().entries] == ["done"]
    assert (queue.path / "0001.json").read_text() == "{"


def test_one_runner_a_store(queue: QueueFolder) -> None:
    add(queue, made(1))
    place = queue.path / RUNNER_FOLDER
    place.mkdir()
    with only_one(place, "testing"), pytest.raises(IgenError, match="another command is working off"):
        Runner(queue=queue, say=print, carry_out=well).run(once=True)
    assert [entry.state for entry in queue.read().entries] == ["waiting"]


def dangerous(*jobs: int) -> Callable[[QueueFolder, Entry], list[str]]:
    """What `igen queue run` finds, of these jobs."""
    return lambda _queue, entry: ["file:///dev/sdb"] if entry.job in jobs else []


def test_a_guarded_runner_leaves_alone_what_may_destroy(queue: QueueFolder) -> None:
    add(queue, made(1), made(2), made(3, after=1))
    said: list[str] = []
    runner = Runner(queue=queue, say=said.append, carry_out=well, dangers=dangerous(1), guarded=True)
    assert not runner.run(once=True)
    assert [entry.state for entry in queue.read().entries] == ["waiting", "done", "waiting"]
    assert [text for text in said if text.startswith("job 1 is left alone: file:///dev/sdb")]


def test_what_a_guarded_console_has_added_is_looked_at_again(queue: QueueFolder) -> None:
    add(queue, made(1, guarded=True), made(2, guarded=True), made(3))
    runner = Runner(queue=queue, say=print, carry_out=well, dangers=dangerous(1, 3))
    assert not runner.run(once=True)
    first, second, third = queue.read().entries
    assert (first.state, second.state, third.state) == ("failed", "done", "done")
    assert "file:///dev/sdb" in first.reason


def test_a_guarded_runner_reads_only_what_would_begin_and_nothing_beside_a_run(queue: QueueFolder) -> None:
    add(queue, made(1), made(2), made(3, at_unix_s=2e12), made(4, "held"), made(5))
    asked: list[int] = []

    def dangers(_queue: QueueFolder, entry: Entry) -> list[str]:
        asked.append(entry.job)
        return ["force"] if entry.job == 1 else []

    def note(entry: Entry, _queue: QueueFolder, _interrupts: Interrupts) -> int:
        begun.append((entry.job, [*asked]))
        return 0

    begun: list[tuple[int, list[int]]] = []
    other = ActiveRun(queue.path.parent, "by-hand")

    def say(text: str) -> None:
        if "by-hand" in text:
            assert asked == []
            other.__exit__()

    runner = Runner(queue=queue, say=say, carry_out=note, dangers=dangers, guarded=True)
    assert not runner.run(once=True)
    assert begun == [(2, [1, 2]), (5, [1, 2, 1, 5])]
    assert asked == [1, 2, 1, 5, 1]
