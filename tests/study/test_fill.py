"""A sweep that is followed by the load that it found."""

from __future__ import annotations

import pytest

from igen.ask.asked import Asked
from igen.ask.study import study_of_asked
from igen.study.levels import PlannedLevel
from igen.study.order import Reached
from igen.study.orders.sweep import SweepOrder
from igen.study.plan import DEFAULT_REPEATS
from igen.study.plans import FillPlan, SweepPlan
from igen.workbench.run_defaults import with_run_defaults

USERS = "load.closed.users"
PEOPLE = {"users": [50, 100, 200], "repeats": 1, "warmup_s": 2, "measure_s": 12, "think_time": "5s"}


def level(number: int, users: int) -> PlannedLevel:
    return PlannedLevel(number=number, values={USERS: users}, job={})


@pytest.mark.parametrize("repeats", [1, 2])
@pytest.mark.parametrize("full", [level(3, 1900), None])
def test_the_level_that_was_found_is_measured_after_all_others(
    repeats: int, full: PlannedLevel | None
) -> None:
    measured: list[int] = []
    known: list[int] = []

    def found() -> PlannedLevel | None:
        known.append(len(measured))
        return full

    done: list[int] = []
    levels = [level(0, 50), level(1, 100), level(2, 200)]
    order = SweepOrder(levels, repeats, seed="s", further=found)
    for execution in order.executions():
        measured.append(execution.level.values[USERS])
        done += order.hear(execution, Reached(throughput_per_s=1.0)).done
    assert known == [3 * repeats]
    assert sorted(measured) == sorted([50, 100, 200, *([1900] if full else [])] * repeats)
    assert measured[3 * repeats :] == [1900] * repeats * bool(full)
    assert sorted(done) == [0, 1, 2, *([3] if full else [])]


def test_a_workload_of_people_looks_for_the_load_that_fills_it_unless_users_are_given() -> None:
    asked = Asked()
    assert with_run_defaults(asked, PEOPLE).fill
    assert not with_run_defaults(Asked(users=[8]), PEOPLE).fill
    assert not with_run_defaults(asked, {**PEOPLE, "think_time": None}).fill
    for changed in (Asked(rate=[5.0]), Asked(find_peak=True)):
        assert not with_run_defaults(changed, PEOPLE).fill
    assert study_of_asked("web", Asked(repeats=1, fill=True)).plan == FillPlan(1)
    assert study_of_asked("web", Asked()).plan == SweepPlan(DEFAULT_REPEATS)
    assert (FillPlan(2).known_repeats, FillPlan(2).known_executions(3)) == (2, 8)
