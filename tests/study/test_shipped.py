"""A study that comes with iGen is answered in the same way wherever the user is."""

from __future__ import annotations

from pathlib import Path

import pytest

from checks import tree
from igen.cli import run_arguments
from igen.study.study import load_study

STUDIES = sorted(f"studies/{path.name}" for path in (tree.ROOT / "studies").glob("*.toml"))


@pytest.mark.parametrize("study", STUDIES)
def test_it_is_checked_alike_next_to_its_file_and_elsewhere(
    study: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tree.ROOT)
    here = run_arguments(["study", "check", study]), capsys.readouterr().err
    monkeypatch.chdir(tmp_path)
    assert (run_arguments(["study", "check", study]), capsys.readouterr().err) == here


def test_the_files_that_it_names_are_looked_for_next_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = tmp_path / "shipped"
    shipped.mkdir()
    text = (tree.ROOT / "studies" / "web.toml").read_text(encoding="utf-8")
    job = '[job]\nparams = { scenario = "@own.toml" }\ntargets = ["http://127.0.0.1:1"]'
    (shipped / "own-web.toml").write_text(text.replace("\n[job]", f"\n{job}"), encoding="utf-8")
    (shipped / "own.toml").write_text('[session]\npages = ["front"]\n', encoding="utf-8")
    monkeypatch.setattr("igen.study.shipped.shipped_folder", lambda: shipped)
    monkeypatch.chdir(tmp_path)
    study = load_study(Path("studies/own-web.toml"))
    assert study.job["params"]["scenario"] == {"session": {"pages": ["front"]}}
