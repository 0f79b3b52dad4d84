from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from queue_entries import made

from igen.errors import InputError
from igen.queue.changes import (
    check_group,
    check_removal,
    chosen,
    chosen_open,
    first_open,
    group_params,
    held,
    moved,
)
from igen.queue.changes import released as let_go
from igen.queue.order import ordered


def test_jobs_are_meant_by_number_or_group() -> None:
    entries = [made(1, group="g"), made(2), made(3, group="g")]
    assert [entry.job for entry in chosen(entries, ["g", "2", "1"])] == [1, 3, 2]
    with pytest.raises(InputError, match="no job or group `4`"):
        chosen(entries, ["4"])
    with pytest.raises(InputError, match="no job or group ``"):
        chosen(entries, [""])


def test_a_group_is_held_as_far_as_it_has_not_begun() -> None:
    entries = [made(1, "done", group="g"), made(2, group="g"), made(3, "running", group="g"), made(4)]
    assert [entry.job for entry in chosen_open(entries, ["g", "4"])] == [2, 4]
    assert [entry.job for entry in chosen_open(entries, ["1"])] == [1], "which is told to have begun"
    ended = [entry for entry in entries if entry.job in (1, 3)]
    assert [entry.job for entry in chosen_open(ended, ["g"])] == [1, 3]


@pytest.mark.parametrize("state", ["running", "done", "failed", "stopped", "lost"])
def test_what_has_begun_is_not_held_released_or_moved(state: str) -> None:
    for change in (held, let_go, lambda entry: moved(entry, [entry], None)):
        with pytest.raises(InputError, match=f"job 1 is {state}"):
            change(made(1, state))
    with pytest.raises(InputError, match=f"job 1 is {state}"):
        moved(made(2), [made(1, state), made(2)], made(1, state))


def test_held_and_released() -> None:
    assert held(made(1)).state == "held"
    assert let_go(held(made(1))).state == "waiting"


def test_a_job_that_another_waits_for_stays() -> None:
    entries = [made(1, "done"), made(2, after=1), made(3, "done", after=1)]
    with pytest.raises(InputError, match="job 2 waits for job 1"):
        check_removal(entries, entries[:1])
    check_removal(entries, entries[:2])
    with pytest.raises(InputError, match="job 1 is running"):
        check_removal([made(1, "running")], [made(1, "running")])


def test_a_group_has_the_parameters_of_its_last_job() -> None:
    entries = [made(2, group="g", params={"a": 2}), made(1, group="g", params={"a": 1}), made(3)]
    assert group_params(entries, "g") == {"a": 2}
    assert group_params(entries, "h") == group_params([made(1, params={"a": 1})], "") == {}


def test_a_group_is_no_number() -> None:
    check_group("web 2")
    with pytest.raises(InputError, match="`12` is a number"):
        check_group("12")


@given(st.integers(1, 6), st.lists(st.tuples(st.integers(1, 6), st.integers(0, 6)), max_size=40))
def test_a_move_changes_one_place_and_no_other_order(count: int, moves: list[tuple[int, int]]) -> None:
    entries = {job: made(job) for job in range(1, count + 1)}
    expected = list(entries)
    for job, before in moves:
        if job not in entries or before == job or before > count:
            continue
        other = entries.get(before)
        entries[job] = moved(entries[job], list(entries.values()), other)
        expected.remove(job)
        expected.insert(expected.index(before) if other else len(expected), job)
        assert [entry.job for entry in ordered(entries.values())] == expected
    assert first_open(list(entries.values()), entries[expected[0]]) == (
        entries[expected[1]] if count > 1 else None
    )
