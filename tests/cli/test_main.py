from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from igen.cli import COMMANDS, SECTIONS, igen, run_arguments
from igen.errors import IgenError, Interrupted

MOST_COMMANDS = 24
"""A hand remembers no more."""
MOST_SUMMARY = 60
"""Characters of a line in `igen --help` of 80 columns."""
REPLACED = re.compile(
    r"\b([Bb]eside|begin|go(es)? on|lays?|so many|[Tt]ells|told|[Tt]hat of|[Tt]hose of|the one that|sees to"
    r"|[Ww]hat|[Ww]here|[Ww]hoever|[Mm]eanwhile|nobody|says?|(?<!here )(is|are) no)\b"
)
"""Words that STYLE.md replaces."""
HEAVY = {"numpy", "scipy", "altair", "duckdb", "rich", "vl_convert", "pandas", "asyncio", "sqlite3"}


def commands(group: click.Group = igen, path: str = "") -> list[tuple[str, click.Command]]:
    """Every command with its path, subcommands included."""
    context = click.Context(group)
    found = []
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        found.append((f"{path}{name}", command))
        if isinstance(command, click.Group):
            found += commands(command, f"{path}{name} ")
    return found


def modules_loaded(line: str) -> set[str]:
    """All that a command line loads."""
    script = (
        "import sys; from igen.cli import run_arguments; code = run_arguments(sys.argv[1:]);"
        "print('MODULES', *sys.modules); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", script, *line.split()], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {*done.stdout.rpartition("MODULES")[2].split()}


@pytest.mark.parametrize("line", ["--version", *(f"{name} --help" for name in COMMANDS)])
def test_help_loads_nothing_heavy(line: str) -> None:
    loaded = modules_loaded(line)
    assert "click" in loaded
    assert HEAVY.isdisjoint(loaded)


def test_the_list_of_commands_loads_no_command() -> None:
    loaded = modules_loaded("--help")
    assert HEAVY.isdisjoint(loaded)
    assert {name for name in loaded if name.startswith("igen")} == {
        "igen",
        "igen.cli",
        "igen.cli.lazy",
        "igen.cli.spelled_out",
        "igen.cli.streams",
        "igen.errors",
        "igen.fleet",
        "igen.fleet.interrupts",
        "igen.version",
    }


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_a_command_says_itself(name: str) -> None:
    command = igen.get_command(click.Context(igen), name)
    assert command is not None
    assert command.get_short_help_str(limit=80) == COMMANDS[name].short_help


def test_the_commands_are_few_and_each_stands_in_one_section() -> None:
    assert len(COMMANDS) <= MOST_COMMANDS
    assert sum(map(len, SECTIONS.values())) == len(COMMANDS)


@pytest.mark.parametrize(("name", "command"), commands())
def test_every_command_has_a_short_summary(name: str, command: click.Command) -> None:
    summary = command.get_short_help_str(limit=200)
    assert 0 < len(summary) <= MOST_SUMMARY, name


@pytest.mark.parametrize(("name", "command"), commands())
def test_help_is_written_in_plain_words(name: str, command: click.Command) -> None:
    texts = [command.help or "", *(getattr(each, "help", None) or "" for each in command.params)]
    assert [found.group() for text in texts for found in REPLACED.finditer(text)] == [], name


@pytest.mark.parametrize(("name", "command"), commands())
def test_every_command_shows_examples_that_name_it(name: str, command: click.Command) -> None:
    if isinstance(command, click.Group):
        return
    assert command.help is not None
    examples = command.help.partition("Examples:")[2]
    assert f"igen {name} " in examples


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("--nonsense", 2, "igen: error: No such option"),
        ("rnu cpu", 2, "did you mean `run`"),
        ("run", 2, "Missing argument 'WORKLOAD'"),
        ("run cpu --users 0", 2, "igen: error: --users: `0` is not a number of users\nhint: use whole"),
        ("run cpu --users", 2, "requires an argument"),
        ("list nonsense", 2, "workloads"),
        ("show last", 2, "no runs in"),
        ("compare last", 2, "at least two runs"),
        ("show last -o x.html", 2, "no runs in"),
        ("study check none.toml", 2, "none.toml: cannot read"),
        ("study run none.toml", 2, "none.toml: cannot read"),
    ],
)
def test_bad_input_is_said_on_standard_error_with_code_2(
    line: str,
    code: int,
    said: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_arguments(line.split()) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.startswith("igen: error: ")
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("raised", "code", "said"),
    [
        (
            IgenError("it broke", where="here", hint="mend it"),
            1,
            "igen: error: here: it broke\nhint: mend it\n",
        ),
        (PermissionError(13, "Permission denied", "/x"), 1, "igen: error: /x: permission denied\n"),
        (OSError("odd"), 1, "igen: error: odd\n"),
        (Interrupted("stopped"), 130, "igen: stopped\n"),
        (KeyboardInterrupt(), 130, "igen: interrupted\n"),
    ],
)
def test_every_error_is_printed_once_with_its_code(
    raised: BaseException,
    code: int,
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise raised

    monkeypatch.setattr(igen, "main", fail)
    assert run_arguments([]) == code
    assert capsys.readouterr().err == said


def test_too_little_memory_is_an_input_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(igen, "main", fail)
    assert run_arguments([]) == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_a_script_for_the_shell(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_arguments(["completion", shell]) == 0
    assert "_IGEN_COMPLETE" in capsys.readouterr().out


def test_an_empty_store_has_no_runs(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run_arguments(["list", "runs", "--json", "--store", str(tmp_path / "none")]) == 0
    assert capsys.readouterr().out.strip() == "[]"
