"""The number of threads of a client beside its server: the arithmetic, and what it does in a simulation."""

from __future__ import annotations

import heapq
from collections import deque
from math import ceil
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from igen.study.levels import PlannedLevel
from igen.study.study import Study, StudySystem
from igen.study.threads import busiest, says_where_users_run, threads_for, with_threads

USERS = 64
SWITCH_US = 2.0
"""Time of a processor that turns to another thread."""
SLICE_US = 700.0
"""Time after which a thread leaves its processor if others wait."""
SIMULATED_US = 4000.0


@pytest.mark.parametrize(
    ("processors", "client_s", "server_s", "threads"),
    [
        (2, 1.0, 1.0, 1),
        (2, 1.0, 3.0, 1),
        (2, 3.0, 1.0, 2),
        (4, 1.0, 3.0, 1),
        (16, 6.0, 10.0, 6),
        (16, 0.0, 1.0, 1),
        (16, 1.0, 0.0, 16),
        (16, 0.0, 0.0, 1),
        (10, 0.1, 0.9, 1),
    ],
)
def test_the_share_of_the_client(processors: int, client_s: float, server_s: float, threads: int) -> None:
    assert threads_for(processors, client_s, server_s) == threads


@given(st.integers(1, 1024), st.floats(0, 1e6), st.floats(0, 1e6))
def test_there_is_a_thread_and_at_most_one_for_each_processor(processors: int, c: float, s: float) -> None:
    threads = threads_for(processors, c, s)
    assert 1 <= threads <= processors
    assert threads_for(processors, 2 * c, s) >= threads
    assert threads_for(processors, c, 2 * s) <= threads


@pytest.mark.parametrize("processors", [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64])
@pytest.mark.parametrize(("client_us", "server_us"), [(3, 9), (5, 10), (6, 6), (10, 5), (9, 3)])
def test_the_number_does_nearly_as_much_as_the_best(
    processors: int, client_us: float, server_us: float
) -> None:
    chosen = threads_for(processors, client_us, server_us)
    ideal = processors * client_us / (client_us + server_us)
    around = {chosen, processors, *range(max(int(ideal) - 1, 1), min(ceil(ideal) + 2, processors) + 1)}
    done = {threads: simulated(processors, threads, client_us, server_us) for threads in around}
    assert done[chosen] >= 0.97 * max(done.values()), done


def simulated(processors: int, threads: int, client_us: float, server_us: float) -> int:
    """Return the requests of a closed load: event loops of client and server share the processors.

    The server has a loop for each processor. A loop that has nothing to do sleeps. A loop that is woken takes
    a free processor or waits for one; it leaves its processor after a slice if others wait.
    """
    loops = threads + processors
    inbox: list[deque[int]] = [deque() for _ in range(loops)]
    awake, since = [False] * loops, [0.0] * loops
    waiting: deque[int] = deque()
    free, done, now, order = processors, 0, 0.0, 0
    events: list[tuple[float, int, int, int]] = []
    users = USERS * max(processors // 8, 1)

    def work(loop: int, extra_us: float) -> None:
        nonlocal order
        order += 1
        cost_us = client_us if loop < threads else server_us
        heapq.heappush(events, (now + extra_us + cost_us, order, loop, inbox[loop].popleft()))

    def hand_to(loop: int, user: int) -> None:
        nonlocal free
        inbox[loop].append(user)
        if awake[loop]:
            return
        awake[loop] = True
        if free:
            free -= 1
            begin(loop)
        else:
            waiting.append(loop)

    def begin(loop: int) -> None:
        since[loop] = now
        work(loop, SWITCH_US)

    for user in range(users):
        hand_to(user % threads, user)
    while True:
        now, _, loop, user = heapq.heappop(events)
        if now > SIMULATED_US:
            return done
        if loop < threads:
            hand_to(threads + user % processors, user)
        else:
            done += 1
            hand_to(user % threads, user)
        if inbox[loop] and not (waiting and now - since[loop] > SLICE_US):
            work(loop, 0.0)
            continue
        awake[loop] = bool(inbox[loop])
        if awake[loop]:
            waiting.append(loop)
        if waiting:
            begin(waiting.popleft())
        else:
            free += 1


def planned(number: int, load: dict[str, Any], place: str = "task") -> PlannedLevel:
    return PlannedLevel(number=number, values={}, job={"load": load, "placement": {place: {}}})


def closed(users: int, think_time_s: float | dict[str, Any] = 0.0) -> dict[str, Any]:
    return {"closed": {"users": users, "think_time_s": think_time_s}}


def test_the_pilot_is_the_first_level_with_most_users_that_never_wait() -> None:
    levels = [planned(0, closed(1)), planned(1, closed(8)), planned(2, closed(8)), planned(3, closed(99, 1))]
    assert busiest(levels) is levels[1]
    several = PlannedLevel(
        number=4,
        values={},
        job={
            "personas": {"a": {"load": closed(5)}, "b": {"load": closed(6)}},
            "placement": {"task": {}},
        },
    )
    assert busiest([*levels, several]) is several


@pytest.mark.parametrize(
    "level",
    [
        planned(0, closed(1)),
        planned(0, closed(8, {"exponential": 1.0})),
        planned(0, {"open": {"rate_per_s": 10.0}}),
        planned(0, {"paced": {"users": 9, "rate_per_user_per_s": 1.0}}),
        planned(0, closed(8), "thread"),
    ],
)
def test_nothing_is_chosen_where_threads_do_not_matter(level: PlannedLevel) -> None:
    assert busiest([level]) is None


def test_a_study_with_a_number_is_not_asked_again() -> None:
    study = Study(name="s", job={"workload": "http", "placement": {"scheduling": "batch"}})
    assert not says_where_users_run(study)
    made = with_threads(study, {"threads": 3, "pin": False})
    assert made.job["placement"] == {"scheduling": "batch", "task": {"threads": 3, "pin": False}}
    assert says_where_users_run(made)


@pytest.mark.parametrize("place", ["task", "thread"])
def test_a_system_or_an_axis_that_says_where_users_run_decides(place: str) -> None:
    side = StudySystem(name="b", job={"placement": {place: {"pin": True}}})
    assert says_where_users_run(Study(name="s", job={}, systems=[StudySystem(name="a"), side]))
    assert says_where_users_run(Study(name="s", job={}, axes={f"placement.{place}.pin": [False, True]}))
