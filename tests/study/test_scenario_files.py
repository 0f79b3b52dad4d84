from __future__ import annotations

from pathlib import Path

from igen.study.scenario_files import scenario_files

SCENARIO = '[data.people]\nfile = "../people.csv"\n[data.here]\nfile = "here.csv"\ntext = "a"\n'


def test_scenarios_are_found_wherever_a_job_has_parameters(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("a", "b"):
        (tmp_path / "sub" / f"{name}.toml").write_text(SCENARIO)
    job = {
        "params": {"scenario": "@sub/a.toml"},
        "personas": {"buyer": {"params": {"scenario": "@sub/b.toml"}}, "idle": {"params": {"rows": 1}}},
    }
    tables = (tmp_path / "sub", "../people.csv")
    assert scenario_files({"job": job}, tmp_path) == [
        (tmp_path, "sub/a.toml"),
        tables,
        (tmp_path, "sub/b.toml"),
        tables,
    ]


def test_a_study_without_scenario_names_no_file(tmp_path: Path) -> None:
    for job in (None, [], {"params": 3}, {"params": {"scenario": {"name": "own"}}}, {"scenario": "@a.toml"}):
        assert scenario_files({"job": job}, tmp_path) == []
