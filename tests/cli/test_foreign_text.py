"""What servers and others say reaches terminal, report and spreadsheet as words and nothing else."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from igen.agent_program import AGENT_VARIABLE
from igen.cli import run_arguments
from igen.fleet.agent import Agent
from igen.store.store import Store
from igen.study.observer import Observer
from igen.study.plans import SweepPlan
from igen.study.runner import run_study
from igen.study.study import Study

EVIL = "\x1b]0;owned\x07\x1b[2J\u202e\u061c\u2028no such table\x00\x9b31m"
FORMULA = '=HYPERLINK("http://elsewhere","look")'
HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u2028-\u202e]")
HUGE = "no table " * 115_000
"""1 MB, as a server may say."""


def snapshot(index: int) -> dict[str, Any]:
    return {
        "snapshot": {
            "phase": "measure",
            "start_s": index / 10,
            "end_s": (index + 1) / 10,
            "users": 1,
            "transactions": {"count": 100, "failed": 2, "service_time": {"sum_ns": 0, "hdr": ""}},
            "failures": [{"kind": "other", "text": text, "count": 1} for text in (EVIL, FORMULA)],
        }
    }


FACTS = [
    {"fact": {"name": "target.server.version", "value": EVIL}},
    {"fact": {"name": "target.server.motto", "value": HUGE}},
    {"warning": {"path": "targets[0]", "text": EVIL}},
    {"warning": {"path": "targets[0]", "text": HUGE}},
]
STEPS = ["hello", *FACTS, {"phase": {"phase": "measure", "at_s": 0.0}}, *(snapshot(i) for i in range(10))]


@pytest.fixture
def told(stand_in: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A run of a server that has bad intentions."""
    monkeypatch.setenv(AGENT_VARIABLE, str(stand_in))
    script = stand_in.with_name("steps.json")
    script.write_bytes(msgspec.json.encode([*STEPS, {"end": {"outcome": "complete", "at_s": 1.0}}]))
    store = Store(stand_in.parent / "runs")
    study = Study(
        name="faults",
        system=FORMULA + EVIL,
        title=EVIL,
        plan=SweepPlan(1),
        job={"workload": "model", "load": {"closed": {"users": 1}}, "faults_in": str(script)},
        axes={"load.closed.users": [1]},
    )
    run_study(study, Agent(stand_in), store, Observer())
    return store


@pytest.mark.parametrize("suffix", [".html", ".md", ".csv", ".json"])
def test_every_report_of_a_hostile_server_is_written_and_harmless(
    told: Store, tmp_path: Path, suffix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"report{suffix}"
    line = ["show", "last", "-o", str(path), "--store", str(told.path), "--title", EVIL]
    assert run_arguments(line) == 0, capsys.readouterr().err
    text = path.read_text(encoding="utf-8")
    assert HARMFUL.findall(text) == []
    assert len(text) < 3_000_000
    if suffix == ".csv":
        cells = [cell for row in csv.reader(text.splitlines()) for cell in row]
        assert any("HYPERLINK" in cell for cell in cells)
        assert not [cell for cell in cells if cell.startswith(("=", "+", "@"))]
    else:
        assert "no such table" in text


def test_a_terminal_is_not_touched(told: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_arguments(["show", "last", "--store", str(told.path)]) == 0
    out, err = capsys.readouterr()
    assert HARMFUL.findall(out + err) == []
    assert run_arguments(["list", "runs", "--store", str(told.path)]) == 0
    out, err = capsys.readouterr()
    assert HARMFUL.findall(out + err) == []


def test_a_live_warning_and_an_error_are_harmless_too(
    stand_in: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv(AGENT_VARIABLE, str(stand_in))
    script = tmp_path / "steps.json"
    error = {"error": {"path": "targets", "text": EVIL + HUGE, "hint": EVIL}}
    script.write_bytes(msgspec.json.encode(["hello", *FACTS, {"stderr": EVIL}, error, {"exit": 1}]))
    study = tmp_path / "study.toml"
    study.write_text(
        f"plan = {{ mode = 'sweep', repeats = 1 }}\n[job]\nworkload = 'model'\n"
        f"load.closed.users = 1\nfaults_in = '{script}'\n"
    )
    assert run_arguments(["study", "run", str(study), "--store", str(tmp_path / "runs")]) == 1
    out, err = capsys.readouterr()
    assert "no such table" in err
    assert HARMFUL.findall(out + err) == []
    assert len(err) < 40_000
