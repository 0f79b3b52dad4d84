"""Studies that earlier releases recorded have a plan when they are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from igen.store.earlier_study import study_of_today
from igen.store.store import Store
from igen.study.plan import PeakPlan, Plan, ScalingPlan, SweepPlan, TogetherPlan, TorturePlan
from igen.study.study import Study
from tests.golden import recorded_run

NOTHING = {"search": None, "together": False, "torture_s": None}
"""As they stood in every record."""


@pytest.mark.parametrize(
    ("said", "plan"),
    [
        ({"repeats": 3}, SweepPlan(3)),
        ({"repeats": "decided"}, SweepPlan("decided")),
        ({"search": {"policy": "find-peak", "share": None}, "repeats": 5}, PeakPlan()),
        ({"search": {"policy": "scaling", "share": 0.5}, "repeats": 2}, ScalingPlan(0.5, 2)),
        ({"search": {"policy": "scaling", "share": None}, "repeats": 2}, ScalingPlan(0.75, 2)),
        ({"together": True, "repeats": 4}, TogetherPlan(4)),
        ({"torture_s": 7200.0, "repeats": "auto"}, TorturePlan(7200.0)),
    ],
)
def test_flags_that_excluded_each_other_are_one_plan(said: dict[str, Any], plan: Plan) -> None:
    earlier = {"name": "s", "job": {"workload": "noop"}, **NOTHING, **said}
    today = study_of_today(earlier)
    assert msgspec.convert(today, Study) == Study(name="s", job={"workload": "noop"}, plan=plan)
    assert study_of_today(today) == today


def test_the_record_of_a_run_has_a_plan_whoever_wrote_it(tmp_path: Path) -> None:
    record = recorded_run.unpack("noop", tmp_path).read_record()
    assert (record.mode, record.study["plan"]) == ("sweep", {"mode": "sweep", "repeats": 1})
    study = {"name": "s", "job": {}, "torture_s": 5}
    assert (
        Store(tmp_path).create_run(name="s", system="a", title="", study=study).read_record().mode
        == "torture"
    )
    assert Store(tmp_path).create_run(name="s", system="a", title="", study={}).read_record().mode == "sweep"
