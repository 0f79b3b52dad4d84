from __future__ import annotations

from typing import Any

import pytest

from igen.errors import InputError
from igen.fleet.agent import Agent
from igen.study.orders.sweep import SweepOrder
from igen.study.planned import planned_levels
from igen.study.plans import TogetherPlan
from igen.study.study import Study, StudySystem

USERS = "load.closed.users"


class Checker(Agent):
    """An agent that refuses what cannot load all targets."""

    def __init__(self) -> None:
        """There is no program behind it."""

    def check(self, job: dict[str, Any]) -> dict[str, Any]:
        for load in job["load"].values():
            assert load.get("users", 1000) >= len(job["targets"])
        phases = {"ramp_s": 0.0, "measure_s": 10.0}
        return {"canary_s": 0.0, **job, "phases": phases | job.get("phases", {})}


def planned(targets: str = "s{1..3}", **rest: Any) -> list[Any]:
    job = {"targets": [targets], "load": {"closed": {"users": 1}}}
    study = Study(name="s", job=job, plan=TogetherPlan(), **rest)
    return planned_levels(study, Checker())  # type: ignore[arg-type]


def test_each_target_alone_then_the_first_ones_together() -> None:
    levels = planned()
    found = [(each.job["targets"], each.job["load"]["closed"]["users"], each.purpose) for each in levels]
    assert found == [
        (["s1"], 1, "sweep"),
        (["s2"], 1, "sweep"),
        (["s3"], 1, "sweep"),
        (["s1"], 1, "scale"),
        (["s1", "s2"], 2, "scale"),
        (["s1", "s2", "s3"], 3, "scale"),
    ]
    assert [each.number for each in levels] == [0, 1, 2, 3, 4, 5]
    assert [levels[1].label, levels[5].label] == ["target s2", "instances 3"]


def test_so_it_is_at_each_point_and_for_each_system() -> None:
    systems = [StudySystem(name=name, job={"params": {"pattern": name}}) for name in ("random", "sequential")]
    levels = planned("s{1,2}", systems=systems, axes={USERS: [1, 4], "params.depth": [2]})
    assert len(levels) == 2 * 2 * (2 + 2)
    assert levels[-1].label == "sequential, users 4, depth 2, instances 2"
    assert levels[-1].job["load"]["closed"]["users"] == 8
    assert levels[-1].job["params"] == {"pattern": "sequential", "depth": 2}
    assert [each.number for each in levels] == list(range(16))


def test_the_recordings_tell_the_curves_apart() -> None:
    executions = list(SweepOrder(planned("s{1,2}"), 1, seed="s").executions())
    assert {each.level.number: each.purpose for each in executions} == {
        0: "sweep",
        1: "sweep",
        2: "scale",
        3: "scale",
    }


@pytest.mark.parametrize(
    ("targets", "load", "said"),
    [
        (["s1"], {"closed": {"users": 1}}, "two targets"),
        (["s1", "s2"], {"open": {"rate_per_s": 1}}, "number of users"),
    ],
)
def test_it_needs_targets_and_users(targets: list[str], load: dict[str, Any], said: str) -> None:
    study = Study(name="s", job={"targets": targets, "load": load}, plan=TogetherPlan())
    with pytest.raises(InputError, match=said) as caught:
        planned_levels(study, Checker())  # type: ignore[arg-type]
    assert caught.value.hint
