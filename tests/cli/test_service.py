"""Units of systemd: what they say, and over what they are written."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from igen.cli import igen
from igen.cli.service_unit import SERVICES, unit_of
from igen.errors import InputError

FOLDER = Path("/srv/100 % of $HOME")


@pytest.mark.parametrize("name", SERVICES)
def test_a_unit_stops_its_command_alone(name: str) -> None:
    unit = unit_of(name, Path("/srv/runs"), [], Path("/srv"), {})
    assert "\nKillMode=process\n" in unit
    # By default it ends where the kernel has killed a process of a run.
    assert "\nOOMPolicy=continue\n" in unit
    assert "\nWantedBy=default.target\n" in unit
    assert "Environment" not in unit
    (command,) = [line for line in unit.splitlines() if line.startswith("ExecStart=")]
    assert command.endswith("--store /srv/runs")
    # By default systemd gives up after five starts in 10 s.
    assert "\nRestartSec=15\n" in unit


def test_a_unit_says_what_becomes_of_runs_when_it_is_stopped() -> None:
    units = {name: unit_of(name, Path("/srv/runs"), [], Path("/srv"), {}) for name in SERVICES}
    assert "only this command, which stops its study and waits for it.\n" in units["queue"]
    assert "and continue" not in units["queue"]
    assert "runs are separate processes and continue.\n" in units["console"]


def test_what_systemd_would_read_otherwise_is_escaped() -> None:
    unit = unit_of("queue", FOLDER, ["a b", 'c"d\\'], FOLDER, {"IGEN_AGENT": "/opt/a b"})
    assert "WorkingDirectory=/srv/100 %% of $HOME\n" in unit
    assert 'Environment="IGEN_AGENT=/opt/a b"\n' in unit
    assert '--store "/srv/100 %% of $$HOME" "a b" "c\\"d\\\\"\n' in unit


@pytest.mark.parametrize("character", ["\n", "\r", "\t", "\0", "\x1b", "\x85", "\udc80"])
@pytest.mark.parametrize("place", range(4))
def test_what_no_line_holds_is_refused(character: str, place: int) -> None:
    texts = ["/srv/runs", "--once", "/srv", "/opt/agent"]
    texts[place] += f"{character}ExecStartPre=/bin/evil"
    store, option, folder, agent = texts
    with pytest.raises(InputError, match="a unit cannot contain control characters"):
        unit_of("queue", Path(store), [option], Path(folder), {"IGEN_AGENT": agent})


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
    options = [
        "console",
        "--store",
        "runs",
        "--port",
        "8713",
        "--read-only",
        "--allow-host",
        "a",
        "--allow-host",
        "b",
    ]

    def install(*more: str) -> Result:
        return CliRunner().invoke(igen, [*options, *more])

    printed = install("--install-service", "-")
    assert printed.exit_code == 0, printed.output
    (line,) = [line for line in printed.output.splitlines() if line.startswith("ExecStart=")]
    words = shlex.split(line.removeprefix("ExecStart="))
    assert words[3:] == [
        "igen.cli", "console", "--no-open", "--store", str(tmp_path / "runs"), "--port", "8713",
        "--allow-host", "a", "--allow-host", "b", "--read-only",
    ]  # fmt: skip
    written = install("--install-service")
    assert written.exit_code == 0, written.output
    path = tmp_path / "config" / "systemd" / "user" / "igen-console.service"
    assert path.read_text(encoding="utf-8") == printed.output
    assert install("--install-service").exit_code == 0
    assert install("--install-service", "own.service").exit_code == 0
    assert Path("own.service").read_text(encoding="utf-8") == printed.output
    edited = path.read_bytes() + b"# mine, \xff\n"
    path.write_bytes(edited)
    assert isinstance(install("--install-service").exception, InputError)
    assert path.read_bytes() == edited
    forced = install("--install-service", "--force")
    assert forced.exit_code == 0, forced.output
    assert path.read_text(encoding="utf-8") == printed.output


@pytest.mark.parametrize(
    "options",
    [["queue", "run", "--no-such"], ["console", "--port", "none"], ["console", "--allow-host", "a\nX=1"]],
)
def test_what_its_command_would_not_take_is_refused(options: list[str]) -> None:
    done = CliRunner().invoke(igen, [*options, "--install-service", "-"])
    assert done.exit_code != 0
    assert "ExecStart" not in done.output
