"""The announced end of a study."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from igen.study.levels import PlannedLevel
from igen.study.plan import Plan
from igen.study.plans import PeakPlan, SweepPlan
from igen.study.study import Study
from igen.study.time_left import TimeLeft

PHASES = {"ramp_s": 0.0, "warmup_s": 1.0, "measure_s": 5.0}
LEVELS = [
    PlannedLevel(number=number, values={}, job={"phases": PHASES, "canary_s": 0.0}) for number in range(2)
]
PLANNED_S = LEVELS[0].duration_s


@dataclass
class Clock:
    now_s: float = 50.0

    def __call__(self) -> float:
        return self.now_s


def planned(plan: Plan) -> tuple[TimeLeft, Clock]:
    clock = Clock()
    left = TimeLeft(clock)
    left.plan(Study(name="s", job={}, plan=plan), LEVELS)
    return left, clock


def execute(left: TimeLeft, clock: Clock, took_s: float, prepare_s: float = 0.0) -> None:
    left.begin()
    left.enter("prepare")
    clock.now_s += prepare_s
    left.enter("warmup")
    clock.now_s += took_s
    left.end(PLANNED_S)


@pytest.mark.parametrize("longer", [1.0, 1.5, 3.0])
def test_the_end_moves_with_the_measurements_that_are_extended(longer: float) -> None:
    left, clock = planned(SweepPlan(3))
    assert left.left_s == pytest.approx(6 * PLANNED_S)
    for done in range(1, 6):
        execute(left, clock, longer * PLANNED_S, prepare_s=100.0)
        assert left.left_s == pytest.approx((6 - done) * longer * PLANNED_S)
    execute(left, clock, PLANNED_S)
    assert left.left_s is None, "repeats that replace others are not planned"


def test_it_runs_while_an_execution_does() -> None:
    left, clock = planned(SweepPlan(1))
    left.begin()
    left.enter("measure")
    clock.now_s += 2.0
    assert left.left_s == pytest.approx(2 * PLANNED_S - 2.0)
    clock.now_s += 1000.0
    assert left.left_s == 0.0


def test_what_was_carried_out_earlier_takes_no_time() -> None:
    left, _ = planned(SweepPlan(1))
    left.skip(PLANNED_S)
    assert left.left_s == pytest.approx(PLANNED_S)


def test_a_search_has_an_end_if_its_time_is_limited() -> None:
    left, clock = planned(PeakPlan(24.0))
    execute(left, clock, 4.0)
    assert left.left_s == pytest.approx(20.0)
    assert planned(PeakPlan())[0].left_s is None
    assert planned(SweepPlan("auto"))[0].left_s is None
