from __future__ import annotations

from typing import Any

from igen.study.plans import SweepPlan
from igen.study.study import Study
from tests.run_flags import run_study

DEFAULTS = {"users": [1, 2], "repeats": 3, "warmup_s": 0.5, "measure_s": 5.0}


def study(line: str, defaults: dict[str, Any] | None) -> Study:
    return run_study(line.split(), defaults)


def test_a_workload_fills_in_what_was_not_said() -> None:
    made = study("mem", DEFAULTS)
    assert (made.axes, made.plan) == ({"load.closed.users": [1, 2]}, SweepPlan(3))
    assert made.job["phases"] == {"measure_s": "5.0s", "warmup_s": "0.5s"}


def test_what_was_said_stays() -> None:
    made = study("mem --users 4 --repeats 7 --duration 2s", DEFAULTS)
    assert (made.axes, made.plan) == ({"load.closed.users": [4]}, SweepPlan(7))
    assert made.job["phases"] == {"measure_s": "2s"}


def test_other_loads_and_workloads_are_left_alone() -> None:
    assert study("mem --rate 10", DEFAULTS).axes == {"load.open.rate_per_s": [10.0]}
    made = study("cpu", None)
    assert made.axes == {"load.closed.users": [1]}
    assert "phases" not in made.job
