"""The scaling study: what it executes, without an agent."""

from __future__ import annotations

import copy
from types import SimpleNamespace
from typing import Any

import pytest

from igen.errors import IgenError, InputError
from igen.fleet.agent import Agent
from igen.study.order import Execution, Reached
from igen.study.orders.scaling import base_users, instance_counts
from igen.study.planned import planned_levels
from igen.study.plans import ScalingPlan
from igen.study.running import Running
from igen.study.study import Study

USERS = "load.paced.users"


class Checker(Agent):
    """Answers like the agent's `check`; refuses a target that is called wrong."""

    def __init__(self) -> None:
        """There is no program behind it."""

    def check(self, job: dict[str, Any]) -> dict[str, Any]:
        if "wrong" in job.get("targets", []):
            raise InputError("not a target", where="targets")
        return {"canary_s": 0.0, "phases": {"measure_s": 1.0}, **copy.deepcopy(job)}


def study(targets: str = "s{1..3}", axes: dict[str, list[Any]] | None = None, **rest: Any) -> Study:
    job = {"targets": [targets], "load": {"paced": {"rate_per_user_per_s": 10}}}
    plan = ScalingPlan(rest.pop("share", 0.75), 2)
    return Study(name="s", job=job, axes={USERS: [8]} if axes is None else axes, plan=plan, **rest)


def of_peak(per_s: float) -> Any:
    """A system of which no more is asked."""
    return SimpleNamespace(peak=SimpleNamespace(throughput_per_s=SimpleNamespace(value=per_s)))


def execute(made: Study, serves_per_s: float) -> list[Execution]:
    """What is executed where one instance serves so much and no more."""
    confirmed: list[float] = []
    running = Running(
        study=made,
        agent=Checker(),
        levels=[],
        noise=None,
        warn=pytest.fail,
        judged=lambda: [of_peak(per_s) for per_s in confirmed],
        earlier=lambda: iter(()),
    )
    order = made.plan.order(running)
    executions = []
    for execution in order.executions():
        executions.append(execution)
        offered_per_s = 10.0 * execution.level.values[USERS]
        served = offered_per_s if offered_per_s <= serves_per_s * len(execution.job["targets"]) else None
        if execution.purpose == "confirm" and served:
            confirmed.append(served)
        order.hear(execution, Reached(throughput_per_s=served))
    return executions


def test_the_instances_share_what_was_confirmed_of_one() -> None:
    executions = execute(study(), 725.0)
    searched = [each for each in executions if each.purpose in ("search", "choose", "confirm")]
    scaled = [each for each in executions if each.purpose == "scale"]
    assert executions == searched + scaled
    assert {tuple(each.job["targets"]) for each in searched} == {("s1",)}
    peak = max(each.level.values[USERS] for each in searched if each.purpose == "confirm")
    assert 64 <= peak <= 72
    base = round(0.75 * peak)
    once = sorted(scaled[:3], key=lambda each: each.level.number)
    assert [(each.job["targets"], each.level.values[USERS]) for each in once] == [
        (["s1"], base),
        (["s1", "s2"], 2 * base),
        (["s1", "s2", "s3"], 3 * base),
    ]
    assert [each.level.values["instances"] for each in scaled] in ([1, 2, 3, 3, 2, 1], [3, 2, 1, 1, 2, 3])
    assert once[1].job["load"] == {"paced": {"rate_per_user_per_s": 10, "users": 2 * base}}
    numbers = [each.level.number for each in once]
    first = 1 + max(each.level.number for each in searched)
    assert numbers == [first, first + 1, first + 2]
    assert once[2].level.label == f"instances 3, users {3 * base}"


def test_without_a_confirmed_peak_nothing_is_scaled() -> None:
    with pytest.raises(IgenError, match="no peak of one instance was confirmed"):
        execute(study(), 1.0)


@pytest.mark.parametrize(
    ("targets", "counts"),
    [
        (2, [1, 2]),
        (8, [*range(1, 9)]),
        (9, [1, 2, 4, 8, 9]),
        (16, [1, 2, 4, 8, 16]),
        (28, [1, 2, 4, 8, 16, 28]),
    ],
)
def test_of_many_targets_the_powers_of_two_are_measured(targets: int, counts: list[int]) -> None:
    assert instance_counts(targets) == counts


def test_the_base_load_is_the_published_one() -> None:
    # 75 % of 725 tx/s at 10 tx/s of each user.
    assert base_users(0.75, 725.0, 10.0) == 54
    assert base_users(0.5, 725.0, 10.0) == 36
    assert base_users(0.01, 1.0, 10.0) == 1


def test_all_targets_are_checked_before_anything_runs() -> None:
    first, all_of_them = planned_levels(study(axes={}), Checker())  # type: ignore[arg-type]
    assert (first.job["targets"], first.values) == (["s1"], {USERS: 1})
    assert all_of_them.job["targets"] == ["s1", "s2", "s3"]
    with pytest.raises(InputError, match="not a target"):
        planned_levels(study("{s,wrong}"), Checker())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (study("s"), "two targets"),
        (study(axes={"load.closed.users": [1]}), "paced"),
        (study(axes={USERS: [1], "seed": [1, 2]}), "one axis"),
    ],
)
def test_a_scaling_study_needs_targets_and_a_pace(made: Study, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        planned_levels(made, Checker())  # type: ignore[arg-type]
    assert caught.value.hint
