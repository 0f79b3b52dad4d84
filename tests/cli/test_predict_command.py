"""`igen predict`, `igen datacenter` and `igen datacenter published` on a run whose curve is known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from igen.aspects.aspects import ASPECTS
from igen.cli import run_arguments
from igen.judge import analyse
from igen.judge.result import System
from igen.store.store import Store
from tests.datacenter.plans import TEXT
from tests.judge.synthetic import recording
from tests.obeys import obeying


def curve() -> System:
    """300, 580, 1,080, 1,900 and 2,900 transactions/s by 1, 2, 4, 8 and 16 users."""
    rates = {1: 300, 2: 580, 4: 1080, 8: 1900, 16: 2900}
    runs = [
        recording([rate + 2 * repeat] * 20, users=users, level=level, repeat=repeat)
        for level, (users, rate) in enumerate(rates.items())
        for repeat in range(3)
    ]
    (system,) = analyse(runs, aspects=ASPECTS)
    return system


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    study: dict[str, Any] = {
        "name": "oltp",
        "job": {"workload": "oltp"},
        "systems": [{"name": "A", "watts": 65}],
    }
    Store(tmp_path / "runs").create_run(name="oltp", system="A", title="", study=study)
    monkeypatch.setenv("IGEN_STORE", str(tmp_path / "runs"))
    monkeypatch.setattr("igen.study.results.read_systems", lambda _run: [curve()])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def document(out: str, name: str) -> Any:
    """What a command prints with --json, which obeys its schema."""
    return obeying(json.loads(out), name)


def said(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert run_arguments([*arguments]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def test_predict_tells_text_and_json(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "predict", "last", "--users", "6").startswith("A: 6 users do 1,")
    (found,) = document(said(capsys, "predict", "last", "--users", "6", "--json"), "prediction")
    x = found["throughput_per_s"]
    assert 1080 < x["low"] <= x["value"] <= x["high"] < 1900
    assert found["place"] == "inside"
    (limit,) = document(said(capsys, "predict", "last", "--response-time", "5ms", "--json"), "prediction")
    assert limit["low"] <= limit["users"] == limit["at"]["users"] <= limit["high"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--users", "20"], "lie outside of what was measured, 1 to 16 users"),
        (["--users", "40", "--extrapolate"], "extrapolation refused"),
        (["--response-time", "1s"], "where 1 s is reached was not measured"),
        ([], "give either --users or --response-time"),
        (["--users", "2", "--response-time", "1s"], "give either --users or --response-time"),
        (["--response-time", "50"], "`50` has no unit"),
    ],
)
def test_predict_refuses_with_a_hint(
    store: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    error = said(capsys, "predict", "last", *arguments, code=2)
    assert words in error
    assert "hint: " in error


def test_a_plan_is_written_from_a_run_and_names_what_it_lacks(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said(capsys, "datacenter", "from-run", "last", "-o", "plan.toml") == "Plan: plan.toml\n"
    text = Path("plan.toml").read_text(encoding="utf-8")
    assert "watts_max = { value = 65, source" in text
    error = said(capsys, "datacenter", "plan", "plan.toml", code=2)
    assert "plan.toml:8: `rack_units` is unknown" in error
    told = text.replace('rack_units = { source = "unknown" }', 'rack_units = { value = 1, source = "guess" }')
    told = told.replace('transactions_per_s = { source = "unknown" }', "transactions_per_s = 50000")
    Path("plan.toml").write_text(told, encoding="utf-8")
    printed = said(capsys, "datacenter", "plan", "plan.toml", "--json")
    (estate,) = document(printed, "datacenter")["estates"]
    answers = {each["key"]: each for each in estate["answers"]}
    assert answers["systems"]["value"] == 23
    assert answers["systems"]["low"] < 24 <= answers["systems_last_year"]["value"]
    assert answers["cost"]["missing"] == "price"


def test_a_plan_takes_the_curve_of_a_run_and_writes_a_report(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, last = TEXT.index("[system.old.curve]"), TEXT.index("[demand.agents]")
    text = TEXT[:first] + '[system.old.curve]\nsource = "run:last"\n\n' + TEXT[last:]
    Path("plan.toml").write_text(text, encoding="utf-8")
    printed = said(capsys, "datacenter", "plan", "plan.toml", "-o", "report.html")
    assert printed.splitlines()[-1] == "Report: report.html"
    assert "Every number and its source" in Path("report.html").read_text(encoding="utf-8")
    Path("twin.toml").write_text(text, encoding="utf-8")
    beside = said(capsys, "datacenter", "compare", "plan.toml", "twin.toml")
    assert "twin/consolidate" in beside
    columns = json.loads(said(capsys, "datacenter", "compare", "plan.toml", "twin.toml", "--json"))
    assert [column["option"] for column in columns] == ["today", "consolidate", "consolidate"]
    assert "name at least two plans" in said(capsys, "datacenter", "compare", "plan.toml", code=2)


def test_a_landscape_has_published_and_own_results(
    store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (row,) = Store(store / "runs").list_runs()
    found = msgspec.structs.replace(row, workload="oltp", measured=True)
    monkeypatch.setattr(Store, "list_runs", lambda _self: [found])
    landscape = document(said(capsys, "datacenter", "published", "oltp", "--json"), "landscape")
    own, memory, *_ = landscape["rows"]
    assert (own["standing"]["name"], own["ratio"]) == ("A", None)
    assert memory["ratio"]["value"] == pytest.approx(own["standing"]["per_s"]["value"] / 821)
    assert "Oracle 10.2, Sun Blade X6270, in memory" in said(capsys, "datacenter", "published", "oltp")
    error = said(capsys, "datacenter", "published", "nothing", code=2)
    assert "no own or published results of `nothing`" in error
