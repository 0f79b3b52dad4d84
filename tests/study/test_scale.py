"""One factor for all sizes and times that a study marks."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from igen.errors import InputError
from igen.study.scale import MIB, scaled
from igen.study.study import Study, StudySystem, StudyTest, load_study


def study(**changed: Any) -> Study:
    values: dict[str, Any] = {
        "name": "s",
        "title": "All",
        "job": {"params": {"size_bytes": "32GiB", "block": 8192}, "phases": {"measure_s": "5min"}},
        "systems": [StudySystem(name="a"), StudySystem(name="b")],
        "tests": [StudyTest(name="R"), StudyTest(name="I", job={"params": {"size_bytes": "256MiB"}})],
        "scale": {"params.size_bytes": "16MiB", "phases.measure_s": "5s"},
    }
    return Study(**(values | changed))


def test_sizes_and_times_of_job_and_tests_are_multiplied() -> None:
    small = scaled(study(), 0.1)
    assert small.job == {
        "params": {"size_bytes": 3277 * MIB, "block": 8192},
        "phases": {"measure_s": 30.0},
    }
    assert [test.job for test in small.tests] == [{}, {"params": {"size_bytes": 26 * MIB}}]
    assert small.title == "All (at 0.1 of its size)"
    assert [system.name for system in small.systems] == ["a", "b"]


def test_no_value_falls_below_the_least_and_none_is_made_larger_by_it() -> None:
    tiny = scaled(study(), 1e-6)
    assert tiny.job["params"]["size_bytes"] == 16 * MIB
    assert tiny.job["phases"]["measure_s"] == 5
    short = study(job={"phases": {"measure_s": "2s"}}, tests=[], scale={"phases.measure_s": "5s"})
    assert scaled(short, 0.5).job["phases"]["measure_s"] == 2


def test_axes_are_scaled_too() -> None:
    swept = study(axes={"params.size_bytes": ["1GiB", "2GiB"]}, scale={"params.size_bytes": "1MiB"})
    assert scaled(swept, 0.25).axes == {"params.size_bytes": [256 * MIB, 512 * MIB]}


@given(st.floats(1e-6, 100))
def test_the_study_itself_is_not_changed(factor: float) -> None:
    plan = study()
    small = scaled(plan, factor)
    assert plan == study()
    assert small.job["phases"]["measure_s"] >= 5
    assert small.job["params"]["size_bytes"] % MIB == 0


@pytest.mark.parametrize("factor", [0.0, -1.0, math.nan, math.inf])
def test_a_factor_is_a_positive_number(factor: float) -> None:
    with pytest.raises(InputError, match="is not a factor above 0"):
        scaled(study(), factor)


def test_what_is_not_there_cannot_be_scaled() -> None:
    with pytest.raises(InputError, match=r"has no \[scale\] table"):
        scaled(study(scale={}), 0.1)
    with pytest.raises(InputError, match=r"the study has no value `params\.site`"):
        scaled(study(scale={"params.site": 1}), 0.1)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('value = "best"', "invalid enum value 'best'"),
        ('tests = [{ name = "a" }, { name = "a" }]', "two tests `a`"),
        (
            'tests = [{ name = "a" }]\nplan = { mode = "peak" }',
            "`tests` cannot be combined with the plan `peak`",
        ),
    ],
)
def test_mistakes_in_the_file_are_told(lines: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(f'{lines}\n[job]\nworkload = "noop"\n')
    with pytest.raises(InputError, match=said):
        load_study(path)
