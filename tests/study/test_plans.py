"""Plans, asked without knowing their modes."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from igen.errors import InputError
from igen.study.levels import PlannedLevel
from igen.study.plans import PLANS, AnyPlan, SweepPlan, plan_type
from igen.study.study import study_of

MUST_SAY = {"torture": {"under_load_s": 60}}
USER = {"workload": "noop", "load": {"closed": {"users": 1}}}
PARTS: dict[str, dict[str, Any]] = {
    "personas": {"job": {"workload": "noop", "personas": {"clerks": USER}}},
    "systems": {"systems": [{"name": "a"}, {"name": "b"}]},
    "tests": {"tests": [{"name": "R1"}]},
}
LEVELS = [
    PlannedLevel(
        number=number,
        values={},
        job={
            "phases": {"ramp_s": 0, "warmup_s": 1, "measure_s": 4},
            "canary_s": 0.0,
            "targets": ["a", "b"],
        },
    )
    for number in range(3)
]


def plan_of(mode: str) -> AnyPlan:
    return msgspec.convert({"mode": mode, **MUST_SAY.get(mode, {})}, AnyPlan)  # type: ignore[return-value]


@pytest.mark.parametrize("mode", PLANS)
def test_a_plan_is_decoded_by_its_mode(mode: str) -> None:
    plan = plan_of(mode)
    assert (plan.mode, type(plan)) == (mode, plan_type(mode))
    assert msgspec.to_builtins(plan)["mode"] == mode


def test_the_plan_of_an_unknown_mode_is_a_sweep() -> None:
    assert plan_type("of a later release") is SweepPlan


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("mode", PLANS)
def test_a_part_that_a_plan_has_no_use_for_is_refused(mode: str, part: str) -> None:
    plan = plan_of(mode)
    table = {"job": USER, "plan": msgspec.to_builtins(plan), **PARTS[part]}
    if part in plan.goes_with:
        assert study_of(table, "s").plan == plan
    else:
        with pytest.raises(InputError) as caught:
            study_of(table, "s")
        assert (caught.value.hint or "") != ""


@pytest.mark.parametrize("mode", PLANS)
def test_the_amount_is_known_before_the_first_execution_or_not_at_all(mode: str) -> None:
    plan = plan_of(mode)
    executions, known_s = plan.known_executions(len(LEVELS)), plan.known_s(LEVELS)
    assert (executions is None) == (known_s is None) == (plan.known_repeats is None)
    if executions is not None:
        assert not plan.finds_levels
        assert known_s == pytest.approx(executions * LEVELS[0].duration_s)
    assert list(plan.amount(LEVELS))


@pytest.mark.parametrize("mode", PLANS)
def test_after_a_failure_what_measured_continues(mode: str) -> None:
    plan = plan_of(mode)
    assert plan.goes_on(measured=True, resumed=False)
    assert not plan.goes_on(measured=False, resumed=False)
    assert plan.goes_on(measured=False, resumed=True) == plan.in_segments == (plan.lasting(60) is not None)
