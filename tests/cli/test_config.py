"""A file with defaults: where it is looked for, what goes before it, and what is wrong with one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from igen.cli import config_file, run_arguments
from igen.store.store import Store

SHORT = 'duration = "0.1s"\nwarmup = "0s"\nrepeats = 1\nquiet = true\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, and no files of the user's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "own"))
    for name in ("IGEN_CONFIG", "IGEN_STORE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def study_of_last(store: str) -> dict[str, object]:
    """The study of the last run, as it was recorded."""
    path = Store(store).find("last").folder / "run.json"
    study: dict[str, object] = json.loads(path.read_text())["study"]
    return study


def test_the_first_of_three_places_counts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert config_file() == ""
    own = folder / "own" / "igen" / "config.toml"
    own.parent.mkdir(parents=True)
    own.touch()
    assert config_file() == str(own)
    Path("igen.toml").touch()
    assert config_file() == "igen.toml"
    monkeypatch.setenv("IGEN_CONFIG", "elsewhere.toml")
    assert config_file() == "elsewhere.toml"


def test_defaults_reach_the_command_and_options_go_before_them() -> None:
    Path("igen.toml").write_text(f'store = "kept"\n[run]\nusers = "1,2"\nset = ["servers=2"]\n{SHORT}')
    assert run_arguments(["run", "model"]) == 0
    first = study_of_last("kept")
    assert first["axes"] == {"load.closed.users": [1, 2]}
    assert first["plan"] == {"mode": "sweep", "repeats": 1}
    assert run_arguments(["run", "model", "--users", "3", "--repeats", "2"]) == 0
    second = study_of_last("kept")
    assert second["axes"] == {"load.closed.users": [3]}
    assert second["plan"] == {"mode": "sweep", "repeats": 2}
    assert second["job"]["params"] == {"servers": 2}  # type: ignore[index]


def test_the_variable_of_the_store_goes_before_the_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("igen.toml").write_text(f'store = "kept"\n[run]\n{SHORT}[list]\njson = true\n')
    assert run_arguments(["run", "model"]) == 0
    capsys.readouterr()
    assert run_arguments(["list", "runs"]) == 0
    printed = capsys.readouterr()
    assert len(json.loads(printed.out)) == 1
    assert printed.err == "igen: igen.toml sets store, list.json\n"
    monkeypatch.setenv("IGEN_STORE", "other")
    assert run_arguments(["list", "runs"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_another_kind_of_run_leaves_the_defaults_of_the_load_alone() -> None:
    Path("igen.toml").write_text(f'[run]\nthink-time = "1ms"\n{SHORT}')
    assert run_arguments(["run", "model", "--rate", "50", "--store", "kept"]) == 0
    load = study_of_last("kept")["job"]["load"]  # type: ignore[index]
    assert load == {"open": {}}


def test_a_group_has_a_table_for_each_of_its_commands(capsys: pytest.CaptureFixture[str]) -> None:
    Path("igen.toml").write_text("[study.run]\nscale = 0\n")
    Path("cpu.toml").write_text('[job]\nworkload = "cpu"\n[axes]\n"load.closed.users" = [1]')
    assert run_arguments(["study", "run", "cpu.toml"]) == 2
    assert "scale" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "[rnu]",
            "igen.toml:1: `rnu` is not a command, nor an option of all commands\nhint: did you mean `run`?",
        ),
        ("stroe = 'x'", "igen.toml:1: `stroe` is not a command"),
        ("run = 3", "igen.toml:1: `run` is not a command"),
        ("[run]\nrepaets = 3", "igen.toml:2: no option `--repaets`\nhint: did you mean `repeats`?"),
        ("[run]\nforce = true", "igen.toml:2: `--force` is not allowed in a file"),
        ("[run]\ni-own-this-data = true", "`--i-own-this-data` is not allowed in a file"),
        ("[run]\n\nquiet = 'yes'", "igen.toml:3: `--quiet` must be true or false"),
        ("[run]\nset = 'a=1'", "igen.toml:2: `--set` must be a list of texts"),
        ("[run]\nusers = [1]", "igen.toml:2: `--users` must be a text or a number"),
        ("[run]\nduration = 10", "igen.toml:2: --duration: `10` has no unit"),
        ("[run", "igen.toml: not TOML"),
        ("[study]\nrun = 3", "igen.toml:2: `run` is a command\nhint: write a table: [study.run]"),
        ("[run.users]", "igen.toml:1: `--users` must be a text or a number"),
        ("[study]\nrnu = {}", "igen.toml:2: no command `rnu`\nhint: did you mean `run`?"),
    ],
)
def test_a_bad_file_is_named_with_its_line(text: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("igen.toml").write_text(text)
    command = ["study", "run", "x.toml"] if "study" in text else ["run", "model"]
    assert run_arguments(command) == 2
    out, err = capsys.readouterr()
    assert out == ""
    told = [line for line in err.splitlines() if not line.startswith("igen: igen.toml sets ")]
    assert told[0].startswith("igen: error: ")
    assert said in "\n".join(told)


def test_a_key_of_somebody_elses_file_does_not_reach_the_terminal_as_a_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("igen.toml").write_text('"\\u001b[31mx" = 1\n')
    assert run_arguments(["list", "runs"]) == 2
    assert r"`\x1b[31mx` is not a command" in capsys.readouterr().err


def test_a_fault_of_the_command_line_is_not_the_files(capsys: pytest.CaptureFixture[str]) -> None:
    Path("igen.toml").write_text("[run]\nduration = 10\n")
    assert run_arguments(["run", "model", "--duration=5"]) == 2
    assert "error: --duration: `5` has no unit" in capsys.readouterr().err


def test_a_file_that_is_named_must_be_there(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("IGEN_CONFIG", "none.toml")
    assert run_arguments(["list", "workloads"]) == 2
    assert "none.toml: cannot read" in capsys.readouterr().err
