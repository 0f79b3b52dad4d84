"""`igen study init` writes studies that pass `igen study check`, and replaces no file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from igen.ask.study_kind import KINDS
from igen.cli import igen, run_arguments
from igen.study.study import load_study
from igen.workload_parameters import known_workloads

WORKLOADS = [str(each["name"]) for each in known_workloads()]
NEEDED = {"command": ["--set", "run=ls"], "io": ["--target", "file://{folder}/data"]}
"""What a workload cannot do without."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(*words: str) -> Path:
    assert run_arguments(["study", "init", *words, "-o", "new.toml"]) == 0
    return Path("new.toml")


@pytest.mark.parametrize("workload", WORKLOADS)
def test_what_is_written_for_a_workload_passes_the_check(workload: str, folder: Path) -> None:
    needed = [word.format(folder=folder) for word in NEEDED.get(workload, [])]
    file = written(workload, *needed)
    assert load_study(file).job["workload"] == workload
    assert run_arguments(["study", "check", str(file)]) == 0


@pytest.mark.parametrize("workload", ["model", "web"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_written_for_a_question_passes_the_check(kind: str, workload: str) -> None:
    file = written(workload, "--question", kind)
    assert [system.name for system in load_study(file).systems] == [*KINDS[kind].systems]
    assert run_arguments(["study", "check", str(file)]) == 0


def test_settings_are_kept_and_other_parameters_are_comments() -> None:
    text = written("model", "--set", "servers=2").read_text(encoding="utf-8")
    assert load_study(Path("new.toml")).job["params"] == {"servers": 2}
    assert "\n# service_time = 0.001\n" in text


def test_a_commented_parameter_can_be_set_by_removing_the_sign() -> None:
    file = written("model")
    file.write_text(
        file.read_text(encoding="utf-8").replace("# servers = 1", "servers = 3"), encoding="utf-8"
    )
    assert load_study(file).job["params"] == {"servers": 3}


def test_a_file_that_exists_is_not_replaced(folder: Path) -> None:
    Path("cpu.toml").write_text("mine", encoding="utf-8")
    assert run_arguments(["study", "init", "cpu"]) == 2
    assert Path("cpu.toml").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    "words", [["cpuu"], ["model", "--set", "servers=none"], ["command"], ["model", "--question", "why"]]
)
def test_nothing_is_written_that_would_not_pass(words: list[str], folder: Path) -> None:
    assert run_arguments(["study", "init", *words]) == 2
    assert [*folder.iterdir()] == []


def test_programs_are_told_the_file_and_the_next_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_arguments(["study", "init", "cpu", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["file"], told["workload"], told["question"]) == ("cpu.toml", "cpu", "levels")
    for command in told["next"][:1]:
        assert run_arguments(command.split()[1:]) == 0


@pytest.mark.parametrize(
    ("words", "incomplete", "found"),
    [
        ("study init", "mode", ["model"]),
        ("study init model --question", "p", ["peak"]),
        ("study init model --set", "servi", ["service=", "service_time="]),
        ("study show", "oltp-s", ["oltp-sqlite"]),
    ],
)
def test_words_are_completed(words: str, incomplete: str, found: list[str]) -> None:
    complete = ShellComplete(igen, {}, "igen", "_IGEN_COMPLETE")
    assert [item.value for item in complete.get_completions(words.split(), incomplete)] == found


def test_a_shipped_study_is_shown_next_to_own_ones(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = folder / "studies"
    own.mkdir()
    (own / "mine.toml").write_text('[job]\nworkload = "cpu"\n', encoding="utf-8")
    for name in ("mine", "cpu"):
        assert run_arguments(["study", "show", name, "--json"]) == 0
        shown = json.loads(capsys.readouterr().out)
        assert shown["file"] == f"studies/{name}.toml"
        assert 'workload = "cpu"' in shown["text"]
