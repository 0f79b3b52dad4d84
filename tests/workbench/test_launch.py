from __future__ import annotations

from pathlib import Path

import pytest

from igen.errors import InputError
from igen.store.store import Store
from igen.workbench.launch import BEGUN_FOLDER, launch
from igen.workbench.own_command import error_of, own_command
from igen.workbench.stop import stop

STUDY = """
name = "later"
plan = { mode = "sweep", repeats = 1 }

[job]
workload = "model"
phases = { warmup_s = "0s", measure_s = "60s" }

[axes]
"load.closed.users" = [1]
"""


def test_a_run_that_was_launched_is_one_like_any_other(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run = launch(STUDY, store)
    assert [(row.run, row.state) for row in store.list_runs()] == [(run, "running")]
    assert (tmp_path / run / "study.toml").read_text(encoding="utf-8") == STUDY
    assert [*(tmp_path / BEGUN_FOLDER).iterdir()] == []
    stop(run, store)
    assert [row.state for row in store.list_runs()] == ["interrupted"]


def test_what_cannot_begin_says_why_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no workload") as caught:
        launch(STUDY.replace("model", "none-such"), Store(tmp_path))
    assert BEGUN_FOLDER not in str(caught.value)
    assert [*(tmp_path / BEGUN_FOLDER).iterdir()] == []


def test_the_error_of_a_command_is_an_error_here() -> None:
    error = error_of(["Trying", "igen: error: no such run", "hint: look again"], 2)
    assert (type(error), error.text, error.hint) == (InputError, "no such run", "look again")
    with pytest.raises(InputError):
        own_command(["show", "none", "--store", "/none"])
