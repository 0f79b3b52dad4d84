"""`igen doctor` on the machine of the test."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from igen.cli import run_arguments
from igen.doctor.checks import CHECKS
from igen.doctor.machine import this_machine
from igen.store.noise import NoiseSession, add_noise


def test_the_doctor_tells_findings_with_their_costs_and_remedies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = ["--store", str(tmp_path)]
    assert run_arguments(["doctor", "--json", *store]) == 0
    found = json.loads(capsys.readouterr().out)
    subjects = [each["subject"] for each in found]
    assert "noise" in subjects, "nobody has measured it in an empty store"
    assert [subject for subject in CHECKS if subject in subjects] == subjects
    assert all(each["found"] and each["costs"] and each["remedy"] for each in found)
    assert run_arguments(["doctor", *store]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "  remedy: igen noise measure" in lines
    assert lines[-1].endswith(f"of {len(CHECKS)} subjects could be better")


def test_noise_counts_where_it_is_of_this_host(tmp_path: Path) -> None:
    host = this_machine(tmp_path).fact("host.name")
    for name, known in (("another", False), (host, True)):
        session = NoiseSession(host=name, workload="cpu", settings={}, run="r", started_unix_s=0.0, pairs={})
        add_noise(tmp_path, session)
        assert this_machine(tmp_path).knows_noise is known


def test_an_agent_that_fails_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("IGEN_AGENT", str(tmp_path / "none"))
    assert run_arguments(["doctor"]) == 1
    assert "no agent" in capsys.readouterr().err
