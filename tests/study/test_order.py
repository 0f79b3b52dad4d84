from __future__ import annotations

from collections.abc import Callable

import pytest

from igen.analysis.sweep import MOST_RUNS
from igen.errors import InputError
from igen.study.order import Execution, Order, Sweep
from igen.study.peak import PeakOrder
from igen.study.plan import Level, search_range
from igen.study.study import Search, Study

USERS = "load.closed.users"


def level(number: int, values: dict[str, int] | None = None, test: str = "") -> Level:
    return Level(number=number, values=values or {}, job={}, test=test)


def execute(
    order: Order, throughput_per_s: Callable[[Execution], float | None]
) -> tuple[list[Execution], list[bool]]:
    """What was executed, and after which of it the level was done."""
    executions: list[Execution] = []
    done: list[bool] = []
    for execution in order.executions():
        executions.append(execution)
        done.append(order.record(execution, throughput_per_s(execution)))
    return executions, done


def test_repeats_go_up_and_down_the_levels() -> None:
    executions, done = execute(Sweep([level(0), level(1), level(2)], 3), lambda _: 100.0)
    assert [execution.level.number for execution in executions] == [0, 1, 2, 2, 1, 0, 0, 1, 2]
    assert [execution.repeat for execution in executions] == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert done == [False] * 6 + [True] * 3


def test_tests_keep_their_order_in_each_repeat() -> None:
    levels = [level(0, test="a"), level(1, test="a"), level(2, test="b"), level(3, test="b")]
    executions, _ = execute(Sweep(levels, 2), lambda _: 100.0)
    assert [execution.level.number for execution in executions] == [0, 1, 2, 3, 1, 0, 3, 2]


def test_a_level_that_is_precise_needs_no_more_repeats() -> None:
    def noisy_above(execution: Execution) -> float:
        return 100.0 * (1.5 ** (execution.repeat % 2)) if execution.level.number else 100.0

    executions, done = execute(Sweep([level(0), level(1)], "auto"), noisy_above)
    count = [sum(execution.level.number == number for execution in executions) for number in (0, 1)]
    assert 3 <= count[0] < count[1] == MOST_RUNS
    assert done.count(True) == 2


def test_a_level_that_always_fails_ends_too() -> None:
    executions, _ = execute(Sweep([level(0)], "auto"), lambda _: None)
    assert len(executions) == MOST_RUNS


def saturating(execution: Execution) -> float:
    return min(execution.level.values[USERS], 12) * 10.0


def search(study: Study | None = None, refused_from: int = 10**9) -> PeakOrder:
    study = study or Study(name="s", job={}, axes={USERS: [1]}, search=Search("find-peak"))
    return PeakOrder(
        study, lambda number, values: level(number, values) if values[USERS] < refused_from else None
    )


def test_a_search_doubles_then_confirms_with_runs_of_their_own() -> None:
    executions, done = execute(search(), saturating)
    searched = [execution.level.values[USERS] for execution in executions if execution.purpose == "search"]
    assert searched[:5] == [1, 2, 4, 8, 16]
    confirmed = [execution for execution in executions if execution.purpose == "confirm"]
    assert confirmed
    assert all(execution.level.values[USERS] >= 11 for execution in confirmed)
    assert {execution.repeat for execution in confirmed} == {0, 1, 2}
    numbers = {execution.level.values[USERS]: execution.level.number for execution in executions}
    assert sorted(numbers.values()) == list(range(len(numbers)))
    # Each confirmed level is done once more, after its last run.
    last = {execution.level.number: index for index, execution in enumerate(executions)}
    assert all(done[index] for index in last.values())
    assert sum(done) == len(searched) + len({execution.level.number for execution in confirmed})


def test_a_search_ends_where_levels_are_refused_or_fail() -> None:
    executions, _ = execute(search(refused_from=8), saturating)
    assert max(execution.level.values[USERS] for execution in executions) < 8
    executions, _ = execute(search(), lambda _: None)
    assert all(execution.purpose == "search" for execution in executions)
    assert [execution.repeat for execution in executions] == [0] * len(executions)


def test_the_range_of_a_search_is_its_axis() -> None:
    def range_of(axes: dict[str, list[object]]) -> tuple[str, int, int]:
        return search_range(Study(name="s", job={}, axes=axes))

    assert range_of({}) == (USERS, 1, 4096)
    assert range_of({USERS: [4]}) == (USERS, 4, 4096)
    assert range_of({"load.paced.users": [2, 64]}) == ("load.paced.users", 2, 64)
    for axes in ({USERS: [1], "seed": [1]}, {"load.open.users": [1]}, {USERS: [1.5]}):
        with pytest.raises(InputError):
            range_of(axes)  # type: ignore[arg-type]


def test_every_execution_draws_numbers_of_its_own() -> None:
    executions, _ = execute(search(), saturating)
    by_level: dict[int, list[int]] = {}
    for execution in executions:
        by_level.setdefault(execution.level.number, []).append(execution.job["repeat"])
    assert any(len(repeats) > 1 for repeats in by_level.values())
    assert all(len(set(repeats)) == len(repeats) for repeats in by_level.values())
