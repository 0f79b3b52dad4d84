"""Runs without a target: an instance of one's own is started for them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from igen.cli import run_arguments
from igen.instances import control, slapd
from igen.instances.openldap import Openldap
from tests.needed import needs
from tests.own_ports import own_ports

SHORT = "--duration 0.2s --warmup 0.1s --repeats 1"
needs_openldap = needs("openldap")


@pytest.fixture
def directory(directory: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where private instances and runs of a test are; ports are its own."""
    monkeypatch.setenv("IGEN_STORE", str(directory / "runs"))
    monkeypatch.setattr(Openldap, "first_port", own_ports())
    return directory


def states() -> list[tuple[str, str]]:
    return [(one.name, control.status(one).state) for one in control.selected(None, None)]


@needs_openldap
def test_one_is_started_loaded_used_and_stopped(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_arguments(f"run ldap-search --set entries=200 {SHORT} --json".split()) == 0
    said = capsys.readouterr()
    facts = json.loads(said.out)["systems"][0]["facts"]
    assert (facts["ldap.entries"], facts["ldap.accessed_entries"]) == (200, 20)
    assert facts["target.ldap.waits_for_disk"] is True
    assert "no --target: starting a private openldap and loading it\n" in said.err
    assert "openldap-1: 203 entries loaded\n" in said.err
    assert "stopped openldap-1, its data is kept" in said.err
    assert states() == [("openldap-1", "stopped")]
    # The next run finds it loaded; what else it says is silenced.
    assert run_arguments(f"run ldap-siteminder --set entries=200 {SHORT} --quiet".split()) == 0
    told = capsys.readouterr().err.splitlines()
    assert [line for line in told if "no level is valid" not in line] == []
    assert states() == [("openldap-1", "stopped")]


@needs_openldap
def test_one_that_runs_goes_on(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_arguments(["instances", "up", "openldap", "--quiet"]) == 0
    capsys.readouterr()
    assert run_arguments(f"run ldap-bind --set entries=200 {SHORT}".split()) == 0
    said = capsys.readouterr().err
    assert "using openldap-1, which is already running" in said
    assert "openldap-1: 203 entries loaded" in said
    assert states() == [("openldap-1", "running")]


@needs_openldap
def test_a_study_gets_one_too_and_a_check_only_names_it(
    directory: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = tmp_path / "study.toml"
    study.write_text(
        "plan = { mode = 'sweep', repeats = 1 }\n[job]\nworkload = 'ldap-search'\n"
        "params.entries = 200\nload.closed.users = 1\n"
        "phases = { warmup_s = '0.1s', measure_s = '0.2s' }\n"
    )
    assert run_arguments(["study", "check", str(study)]) == 0
    port = Openldap.first_port
    assert (
        f"on ldap://cn=admin,dc=example,dc=com@127.0.0.1:{port}/dc=example,dc=com" in capsys.readouterr().out
    )
    assert states() == []
    assert run_arguments(["study", "run", str(study), "--quiet"]) == 0
    assert states() == [("openldap-1", "stopped")]


@needs_openldap
def test_other_data_than_were_loaded_are_asked_for(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_arguments(f"run ldap-search --set entries=200 {SHORT} --quiet".split()) == 0
    assert run_arguments(f"run ldap-search --set entries=300 {SHORT} --quiet".split()) == 1
    said = capsys.readouterr().err
    assert "entries = 200" in said
    assert "igen instances down openldap --remove" in said


@pytest.mark.parametrize("line", ["run ldap-search --set entrys=5", "run ldap-search --set entries=0"])
def test_a_wrong_job_is_told_before_anything_is_made(line: str, directory: Path) -> None:
    assert run_arguments([*line.split(), "--quiet"]) == 2
    assert states() == []


def test_where_the_server_is_not_installed_its_package_is_named(
    directory: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(slapd, "_FOLDERS", ())
    monkeypatch.setenv("PATH", "/nowhere")
    assert run_arguments(["run", "ldap-search"]) == 2
    assert "apt-get install slapd" in capsys.readouterr().err
    assert list(directory.iterdir()) == []
