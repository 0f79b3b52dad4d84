"""What is said of a study before it is run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from igen.cli import run_arguments
from igen.study.lint import study_findings
from igen.study.study import study_of
from tests.said import texts_of

JOB: dict[str, Any] = {"workload": "oltp", "phases": {"measure_s": "2min"}, "targets": ["sqlite:///a.db"]}


def subjects(**table: Any) -> list[str]:
    return [each.subject for each in study_findings(study_of({"job": JOB, **table}, "s"))]


def test_a_study_of_which_nothing_is_to_be_said() -> None:
    one_factor = [{"name": "a"}, {"name": "b", "job": {"params": {"synchronous": "off"}}}]
    assert subjects(systems=one_factor) == []


@pytest.mark.parametrize(
    ("table", "found"),
    [
        ({"job": {**JOB, "phases": {"measure_s": "10s"}}}, ["window"]),
        ({"plan": {"mode": "sweep", "repeats": 1}}, ["one run"]),
        ({"job": {**JOB, "params": {"customers": 10}}}, ["few keys"]),
        ({"job": {**JOB, "targets": ["postgresql://localhost/a"]}}, ["shared processors"]),
        ({"job": {**JOB, "targets": ["sqlite:////dev/shm/a.db"]}}, ["in memory"]),
    ],
)
def test_what_a_job_says(table: dict[str, Any], found: list[str]) -> None:
    assert subjects(**table) == found


def test_factors_are_those_between_a_system_and_its_base() -> None:
    two = {"params": {"synchronous": "off", "mode": "autocommit"}}
    systems = [{"name": "a"}, {"name": "b", "job": two}, {"name": "c", "job": two, "against": "b"}]
    (found,) = study_findings(study_of({"job": JOB, "systems": systems[:2]}, "s"))
    assert found.of == ("b", "a")
    assert texts_of(found.finding, "factor") == ["params.synchronous", "params.mode"]
    assert subjects(systems=systems, compare=True) == []
    assert subjects(systems=systems[:2], compare=False) == []


def test_the_command_reads_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "study.toml"
    path.write_text('[job]\nworkload = "cpu"\nphases = { measure_s = "5s" }\n')
    assert run_arguments(["publish", "lint", str(path)]) == 0
    assert capsys.readouterr().out.startswith("window: a window of 5 s\n  why: ")
    assert run_arguments(["publish", "lint", str(tmp_path / "none.toml")]) == 2
    assert run_arguments(["publish", "lint", str(path), "last"]) == 2
