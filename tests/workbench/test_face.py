"""`igen.run`, `igen.load`, `igen.compare`: the workbench from a program."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import igen
from igen import workbench
from igen.errors import IgenError, InputError, Interrupted
from igen.study.observer import Observer

UNWATCHED = {"monitors": [], "canary_s": 0}
"""Whatever else the machine does is not seen, so that it makes no level INVALID."""
PHASES = {"warmup_s": "0.05s", "measure_s": "0.3s", "interval_s": "0.05s"}
MODEL: dict[str, Any] = {
    "job": {"workload": "model", "params": {"service_time": "1ms"}, "phases": PHASES, **UNWATCHED},
    "axes": {"load.closed.users": [1, 2]},
    "plan": {"mode": "sweep", "repeats": 2},
}
ONCE = {"mode": "sweep", "repeats": 1}


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("IGEN_STORE", str(tmp_path / "runs"))
    return tmp_path / "runs"


def test_a_run_is_measured_loaded_compared_and_reported(
    store: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    before = igen.run({**MODEL, "system": "before"})
    after = igen.run({**MODEL, "system": "after"}, observer=Observer())
    assert list(before.levels["users"]) == [1, 2]
    assert (before.levels["throughput_per_s"] > 0).all()
    assert {"response_p99_ms", "verdict"} <= set(before.levels.columns)
    assert len(after.timeline) >= 4, "an interval of each execution at least"
    assert igen.load("before").runs == before.runs
    assert igen.load().runs == after.runs
    both = igen.compare("before", "after")
    assert both.runs == (*before.runs, *after.runs)
    assert set(both.ratios["system"]) == {"after"}
    assert both.report("both.html").stat().st_size > 10_000
    assert "before" in str(both)
    # Nothing of this was printed.
    assert capfd.readouterr() == ("", "")


def test_a_study_in_a_file_and_the_same_as_a_table_are_one(store: Path, tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(
        'plan = { mode = "sweep", repeats = 1 }\n[job]\nworkload = "noop"\n'
        'phases = { measure_s = "0.1s", warmup_s = "0s" }\n'
        '[axes]\n"load.closed.users" = [1]\n'
    )
    assert igen.run(path).result.systems[0].workload == "noop"
    phases = {"measure_s": "0.1s", "warmup_s": "0s"}
    table = {"plan": ONCE, "job": {"workload": "noop", "phases": phases}, "axes": {"load.closed.users": [1]}}
    assert igen.run(table).result.systems[0].workload == "noop"


@pytest.mark.parametrize(
    ("study", "said"),
    [
        ({"job": {}}, "needs a workload"),
        ({"job": {"workload": "noop"}, "titel": "x"}, "did you mean `title`"),
        ({"job": {"workload": "nope", "load": {"closed": {"users": 1}}}}, "nope"),
    ],
)
def test_a_wrong_study_is_bad_input_and_makes_nothing(store: Path, study: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as caught:
        igen.run(study)
    assert said in str(caught.value)
    assert not store.exists()


def test_runs_that_are_not_there_and_reports_of_no_kind_are_bad_input(store: Path) -> None:
    with pytest.raises(InputError, match="no runs in"):
        igen.load("before")
    with pytest.raises(InputError, match="at least two"):
        igen.compare("before")
    recorded = igen.run({**MODEL, "axes": {"load.closed.users": [1]}, "plan": ONCE})
    with pytest.raises(InputError, match="no format of reports"):
        recorded.report("report.doc")


# 13 s: tests/e2e/test_interrupt.py interrupts the command, which calls the same.
@pytest.mark.slow
def test_an_interrupted_run_raises_and_keeps_what_was_measured(store: Path) -> None:
    class Impatient(Observer):
        def job_finished(self, execution: Any, result: Any) -> None:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(Interrupted, match="results so far are kept"):
        igen.run(MODEL, observer=Impatient())
    assert igen.load().levels["transactions"].sum() > 0


def test_a_workload_is_provisioned_once(store: Path, tmp_path: Path) -> None:
    target = f"sqlite:///{tmp_path}/shop.db"
    assert isinstance(workbench.provision("oltp", [target], {"customers": 50}), dict)
    assert (tmp_path / "shop.db").exists()
    with pytest.raises(InputError) as caught:
        workbench.provision("oltp", [target], {"customers": 0})
    assert caught.value.where == "params.customers"


def test_without_pandas_data_frames_say_what_is_missing(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = igen.run({**MODEL, "axes": {"load.closed.users": [1]}, "plan": ONCE})
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(IgenError, match="pandas") as caught:
        recorded.levels  # noqa: B018
    assert "igen-bench[frames]" in caught.value.hint
    assert recorded.result.systems[0].levels


def test_importing_igen_imports_nothing_but_its_version() -> None:
    script = "import igen, sys; print(sorted(name for name in sys.modules if name.startswith('igen')))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "['igen', 'igen.version']\n"
    with pytest.raises(AttributeError, match="no attribute 'walk'"):
        igen.walk  # noqa: B018
    assert (Path(igen.__file__).parent / "py.typed").exists()


def test_keywords_are_the_options_of_igen_run(tmp_path: Path) -> None:
    short = {"duration": "50ms", "warmup": "0s", "repeats": 1}
    by_values = workbench.run("noop", store=tmp_path, users=[1, 2], **short)
    by_texts = workbench.run("noop", store=tmp_path, users="1,2", **short)
    assert [level.users for level in by_values.result.systems[0].levels] == [1, 2]
    assert [level.users for level in by_texts.result.systems[0].levels] == [1, 2]
    for wrong in ({"usres": 1}, {"users": "one"}, {"arrivals": "poisson"}):
        with pytest.raises(InputError):
            workbench.run("noop", store=tmp_path, **wrong)
    with pytest.raises(InputError):
        workbench.run({"job": {"workload": "noop"}}, store=tmp_path, repeats=2)
