"""Units of systemd: what they say, and that what they run leaves runs alone when it is stopped."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from igen.cli import igen
from igen.cli.service_unit import SERVICES, unit_of

FOLDER = Path("/srv/100 % of $HOME")


@pytest.mark.parametrize("name", SERVICES)
def test_a_unit_stops_its_command_alone(name: str) -> None:
    unit = unit_of(name, Path("/srv/runs"), [], Path("/srv"), {})
    assert "\nKillMode=process\n" in unit
    assert "\nWantedBy=default.target\n" in unit
    assert "Environment" not in unit
    (command,) = [line for line in unit.splitlines() if line.startswith("ExecStart=")]
    assert command.endswith("--store /srv/runs")


def test_what_systemd_would_read_otherwise_is_escaped() -> None:
    unit = unit_of("queue", FOLDER, ["a b", 'c"d\\'], FOLDER, {"IGEN_AGENT": "/opt/a b"})
    assert "WorkingDirectory=/srv/100 %% of $HOME\n" in unit
    assert 'Environment="IGEN_AGENT=/opt/a b"\n' in unit
    assert '--store "/srv/100 %% of $$HOME" "a b" "c\\"d\\\\"\n' in unit


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd here")
@pytest.mark.parametrize("name", SERVICES)
def test_systemd_understands_it(name: str, tmp_path: Path) -> None:
    unit = tmp_path / f"igen-{name}.service"
    unit.write_text(unit_of(name, tmp_path / "a b", [], tmp_path, {}), encoding="utf-8")
    command = ["systemd-analyze", "verify", "--user", "--man=no", "--generators=no", str(unit)]
    environment = {"XDG_RUNTIME_DIR": str(tmp_path), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=300)
    said = [line for line in (done.stderr + done.stdout).splitlines() if unit.name in line]
    assert said == []


def test_it_is_printed_and_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    options = ["--store", "runs", "--port", "8713", "--read-only"]
    printed = CliRunner().invoke(igen, ["service", "console", *options])
    assert printed.exit_code == 0, printed.output
    (line,) = [line for line in printed.output.splitlines() if line.startswith("ExecStart=")]
    words = shlex.split(line.removeprefix("ExecStart="))
    assert words[3:] == [
        "igen.cli", "console", "--no-open", "--store", str(tmp_path / "runs"), "--port", "8713",
        "--read-only",
    ]  # fmt: skip
    written = CliRunner().invoke(igen, ["service", "console", "--write", *options])
    assert written.exit_code == 0, written.output
    path = tmp_path / "config" / "systemd" / "user" / "igen-console.service"
    assert path.read_text(encoding="utf-8") == printed.output


@pytest.mark.parametrize(
    "options", [["queue", "--no-such"], ["console", "--port", "none"], ["none"], ["queue", "--once\nX=1"]]
)
def test_what_its_command_would_not_take_is_refused(options: list[str]) -> None:
    done = CliRunner().invoke(igen, ["service", *options])
    assert done.exit_code != 0
    assert "ExecStart" not in done.output
