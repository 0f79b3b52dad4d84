from __future__ import annotations

import pytest
from queue_entries import NOW_UNIX_S, made

from igen.queue.entry import Entry
from igen.queue.steps import (
    Refuse,
    Start,
    Wait,
    ended,
    ended_unseen,
    next_step,
    started,
    successor,
    without_successor,
)
from igen.store.state import RunState


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([], Wait(None)),
        ([made(1, "held"), made(2, "done")], Wait(None)),
        ([made(2), made(1)], Start(made(1))),
        ([made(1, rank="9"), made(2)], Start(made(2))),
        ([made(1, "held"), made(2)], Start(made(2))),
        ([made(1, "running"), made(2)], Wait(None)),
        ([made(1, at_unix_s=NOW_UNIX_S + 9), made(2)], Start(made(2))),
        ([made(1, at_unix_s=NOW_UNIX_S)], Start(made(1, at_unix_s=NOW_UNIX_S))),
        ([made(1, at_unix_s=NOW_UNIX_S + 9), made(2, at_unix_s=NOW_UNIX_S + 5)], Wait(NOW_UNIX_S + 5)),
        ([made(1, "done"), made(2, after=1)], Start(made(2, after=1))),
        ([made(1, rank="5"), made(2, after=1)], Start(made(1, rank="5"))),
        ([made(1, "held"), made(2, after=1)], Wait(None)),
    ],
)
def test_what_is_next(entries: list[Entry], expected: object) -> None:
    assert next_step(entries, NOW_UNIX_S) == expected


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        ([made(1, "failed")], "job 1, after which it was to run, has failed"),
        ([made(1, "stopped")], "job 1, after which it was to run, was stopped"),
        ([made(1, "lost")], "job 1, after which it was to run, is lost"),
        ([], "job 1, after which it was to run, is not in the queue"),
    ],
)
def test_what_waits_for_something_that_will_never_be_is_told(first: list[Entry], reason: str) -> None:
    waiting = made(2, after=1, at_unix_s=NOW_UNIX_S + 9)
    assert next_step([*first, waiting], NOW_UNIX_S) == Refuse(waiting, reason)


def test_a_job_that_waits_for_a_damaged_one_goes_on_waiting() -> None:
    assert next_step([made(2, after=1)], NOW_UNIX_S, {1}) == Wait(None)


@pytest.mark.parametrize(
    ("exit_code", "state", "reason"),
    [
        (0, "done", ""),
        (1, "failed", "exit code 1"),
        (2, "failed", "exit code 2"),
        (130, "stopped", "exit code 130"),
        (-2, "stopped", "signal 2"),
        (-9, "failed", "signal 9"),
    ],
)
def test_the_exit_code_says_how_it_ended(exit_code: int, state: str, reason: str) -> None:
    entry = ended(started(made(1), NOW_UNIX_S), exit_code, NOW_UNIX_S + 3, run="a-run", reason="")
    assert (entry.state, entry.reason, entry.exit_code, entry.run) == (state, reason, exit_code, "a-run")
    assert (entry.started_unix_s, entry.ended_unix_s) == (NOW_UNIX_S, NOW_UNIX_S + 3)


@pytest.mark.parametrize(
    ("of_run", "state"),
    [
        ("complete", "done"),
        ("interrupted", "stopped"),
        ("failed", "failed"),
        ("cut off", "lost"),
        ("unknown", "lost"),
        (None, "lost"),
    ],
)
def test_an_end_that_nobody_saw_is_the_end_of_the_run(of_run: RunState | None, state: str) -> None:
    over = ended_unseen(made(1, "running"), of_run, NOW_UNIX_S, run="a-run")
    assert (over.state, over.run, over.ended_unix_s) == (state, "a-run", NOW_UNIX_S)
    assert bool(over.reason) == (state != "done")


def test_a_repetition_is_the_same_study_at_its_next_time() -> None:
    over = made(3, "failed", every_s=100.0, at_unix_s=NOW_UNIX_S, params={"a": 1}, group="g", reason="why")
    assert without_successor([over, made(4, "waiting", every_s=1.0), made(5, "done")]) == [over]
    again = successor(over, 6, [over, made(4)], NOW_UNIX_S + 250)
    assert (again.state, again.at_unix_s, again.every_s) == ("waiting", NOW_UNIX_S + 300, 100.0)
    assert (again.job, again.follows, again.rank, again.reason) == (6, 3, "5", "")
    assert (again.params, again.group, again.study) == ({"a": 1}, "g", "a.toml")
