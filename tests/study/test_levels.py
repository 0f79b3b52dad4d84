from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from igen.ask.tables import merged, set_path
from igen.errors import InputError
from igen.fleet.agent import Agent
from igen.study.levels import expand
from igen.study.study import Study, StudySystem, StudyTest


class Checker(Agent):
    """Answers like the agent's `check`: fills in what the job does not say."""

    def __init__(self) -> None:
        """There is no program behind it."""

    def check(self, job: dict[str, Any]) -> dict[str, Any]:
        phases = {"ramp_s": 0.0, "warmup_s": 2.0, "measure_s": 10.0, "interval_s": 1.0, "extendable": False}
        checked = {"canary_s": 0.0, **copy.deepcopy(job), "phases": phases | job.get("phases", {})}
        if checked.get("load", {}).get("closed", {}).get("users") == 0:
            raise InputError("no users", where="load.closed.users")
        return checked


def levels(axes: dict[str, list[Any]], **job: Any) -> list[Any]:
    return expand(Study(name="s", job=job, axes=axes), Checker())  # type: ignore[arg-type]


def test_levels_ascend_and_axes_are_multiplied() -> None:
    points = levels({"params.variant": ["z", "a"], "load.closed.users": [4, 1, 2]}, workload="cpu")
    assert [(point.job["params"]["variant"], point.job["load"]["closed"]["users"]) for point in points] == [
        ("z", 1),
        ("z", 2),
        ("z", 4),
        ("a", 1),
        ("a", 2),
        ("a", 4),
    ]
    assert [point.number for point in points] == [0, 1, 2, 3, 4, 5]
    assert points[5].label == "variant a, users 4"


def test_a_study_without_axes_is_one_level() -> None:
    (level,) = levels({}, workload="cpu")
    assert (level.number, level.values, level.label) == (0, {}, "one level")


def test_the_job_itself_is_not_changed_by_its_levels() -> None:
    job = {"load": {"closed": {"think_time_s": 1.0}}}
    points = levels({"load.closed.users": [1, 2]}, **job)
    assert job == {"load": {"closed": {"think_time_s": 1.0}}}
    assert points[1].job["load"] == {"closed": {"think_time_s": 1.0, "users": 2}}


def test_every_level_is_checked_before_any_is_returned() -> None:
    with pytest.raises(InputError) as caught:
        levels({"load.closed.users": [1, 0]})
    assert caught.value.where == "load.closed.users"


@pytest.mark.parametrize(("axes", "where"), [({"seed": [1, 1]}, "seed"), ({"workload.x": [1]}, "workload.x")])
def test_axes_that_make_no_sense_are_bad_input(axes: dict[str, list[Any]], where: str) -> None:
    with pytest.raises(InputError) as caught:
        levels(axes, workload="cpu")
    assert caught.value.where == where


@pytest.mark.parametrize(
    ("measure_s", "warmup_s", "interval_s", "canary_s"),
    [
        (0.5, 0.25, 0.1, 0.025),
        (10.0, 2.0, 0.2, 0.2),
        (60.0, 12.0, 1.0, 0.2),
        (3600.0, 30.0, 1.0, 0.2),
    ],
)
def test_phases_that_nobody_asked_for_follow_the_measurement(
    measure_s: float, warmup_s: float, interval_s: float, canary_s: float
) -> None:
    (level,) = levels({}, phases={"measure_s": measure_s})
    phases = level.job["phases"]
    assert (phases["warmup_s"], phases["interval_s"], phases["extendable"]) == (warmup_s, interval_s, True)
    assert level.job["canary_s"] == canary_s


def test_phases_that_were_asked_for_stay() -> None:
    (level,) = levels({}, phases={"warmup_s": 0.0, "interval_s": 0.5, "measure_s": 2.0}, canary_s=0.0)
    assert level.job["phases"]["extendable"] is False
    assert (level.job["phases"]["warmup_s"], level.job["phases"]["interval_s"]) == (0.0, 0.5)
    assert level.job["canary_s"] == 0.0
    assert level.duration_s == pytest.approx(2.2)


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=4), st.integers())
def test_what_is_put_at_a_path_is_there(names: list[str], value: int) -> None:
    table: dict[str, Any] = {}
    set_path(table, ".".join(names), value)
    for name in names:
        table = table[name]
    assert table == value


def of_systems(*systems: StudySystem, axes: dict[str, list[Any]] | None = None) -> list[Any]:
    job = {"params": {"customers": 5, "mode": "six"}, "targets": ["s{1..2}"]}
    return expand(Study(name="s", job=job, axes=axes or {}, systems=list(systems)), Checker())  # type: ignore[arg-type]


def test_each_system_has_every_point_of_the_axes() -> None:
    points = of_systems(
        StudySystem(name="disk"),
        StudySystem(name="SSD", job={"params": {"customers": 7}, "targets": ["t{1..2}"]}, against="disk"),
        axes={"load.closed.users": [2, 1]},
    )
    assert [(point.number, point.system, point.label) for point in points] == [
        (0, "disk", "disk, users 1"),
        (1, "disk", "disk, users 2"),
        (2, "SSD", "SSD, users 1"),
        (3, "SSD", "SSD, users 2"),
    ]
    assert points[0].job["params"] == {"customers": 5, "mode": "six"}
    assert points[2].job["params"] == {"customers": 7, "mode": "six"}
    assert (points[0].job["targets"], points[2].job["targets"]) == (["s1", "s2"], ["t1", "t2"])


def test_what_is_wrong_with_a_system_names_it() -> None:
    with pytest.raises(InputError, match="system `b`: no users") as caught:
        of_systems(StudySystem(name="a"), StudySystem(name="b", job={"load": {"closed": {"users": 0}}}))
    assert caught.value.where == "load.closed.users"


tables = st.recursive(
    st.integers(), lambda values: st.dictionaries(st.sampled_from("abc"), values, max_size=3), max_leaves=8
)
jobs = st.dictionaries(st.sampled_from("abc"), tables, max_size=3)


@given(jobs, jobs)
def test_tables_are_merged_and_neither_is_changed(table: dict[str, Any], over: dict[str, Any]) -> None:
    before = copy.deepcopy((table, over))
    both = merged(table, over)
    assert (table, over) == before
    assert merged(both, over) == both
    assert merged(table, {}) == table
    for name in {**table, **over}:
        below, above = table.get(name), over.get(name)
        if isinstance(below, dict) and isinstance(above, dict):
            assert both[name] == merged(below, above)
        else:
            assert both[name] == (above if name in over else below)


def test_every_system_is_put_to_every_test_and_the_test_wins() -> None:
    study = Study(
        name="s",
        job={"params": {"read": 100, "block": 8}},
        axes={"load.closed.users": [16, 32]},
        systems=[
            StudySystem(name="a"),
            StudySystem(name="b", job={"targets": ["x"], "params": {"read": 50}}),
        ],
        tests=[StudyTest(name="R1"), StudyTest(name="R2", job={"params": {"read": 70}})],
    )
    levels = expand(study, Checker())  # type: ignore[arg-type]
    assert [level.label for level in levels][::2] == [
        "R1, a, users 16",
        "R1, b, users 16",
        "R2, a, users 16",
        "R2, b, users 16",
    ]
    assert [level.job["params"]["read"] for level in levels][::2] == [100, 50, 70, 70]
    assert levels[7].job["targets"] == ["x"]
    assert levels[7].job["params"]["block"] == 8


def test_a_measurement_whose_last_fifth_counts_has_no_warm_up_of_its_own_and_is_never_extended() -> None:
    study = Study(name="s", job={}, value="median of the last fifth")
    (level,) = expand(study, Checker())  # type: ignore[arg-type]
    assert (level.job["phases"]["warmup_s"], level.job["phases"]["extendable"]) == (0, False)
