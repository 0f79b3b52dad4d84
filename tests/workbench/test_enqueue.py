"""Adding studies to the queue: what was added is what runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from igen.errors import InputError
from igen.queue.entry import Entry
from igen.queue.folder import QueueFolder
from igen.store.store import Store
from igen.study.study import load_study
from igen.workbench.enqueue import When, enqueue

STUDY = """plan = { mode = "sweep", repeats = 1 }
[job]
workload = "model"
[axes]
"load.closed.users" = [1]
"""
WEB = """plan = { mode = "sweep", repeats = 1 }
[job]
workload = "web"
targets = ["http://127.0.0.1:9"]
params = { scenario = "@%s" }
[axes]
"load.closed.users" = [1]
"""
SCENARIO = """name = "own"
session = { steps = [{ page = "home" }] }
[[page]]
name = "home"
[[page.request]]
get = "/{people.name}"
[data.people]
file = "../data/people.csv"
pick = "next"
"""


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.toml").write_text(STUDY)
    return Store(tmp_path / "runs")


def add(store: Store, *files: str, **more: Any) -> list[Entry]:
    return enqueue([Path(file) for file in files], store, now_unix_s=5.0, **more)


def test_the_copy_stays_what_it_was(store: Store, tmp_path: Path) -> None:
    first, second = add(store, "a.toml", str(tmp_path / "a.toml"))
    (tmp_path / "a.toml").write_text("changed")
    assert (first.job, second.job, first.folder, first.study) == (1, 2, str(tmp_path), "a.toml")
    copy = QueueFolder(store.path).study_folder(1) / first.study
    assert copy.read_text() == STUDY
    assert load_study(copy).name == "a"


def test_a_study_that_could_not_run_adds_nothing(store: Store, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text(STUDY.replace("model", "modle"))
    with pytest.raises(InputError) as caught:
        add(store, "a.toml", "bad.toml")
    assert caught.value.where.startswith("bad.toml")
    with pytest.raises(InputError):
        add(store, "a.toml", params={"nonsense": 1})
    with pytest.raises(InputError, match="cannot read"):
        add(store, "absent.toml")
    assert QueueFolder(store.path).read().entries == []


def test_a_group_has_its_parameters_in_common(store: Store) -> None:
    add(store, "a.toml", group="g", params={"service_time": "2ms", "servers": 2})
    (again,) = add(store, "a.toml", group="g", params={"servers": 3})
    (other,) = add(store, "a.toml")
    assert again.params == {"service_time": "2ms", "servers": 3}
    assert other.params == {}


def test_what_cannot_be_said_together_is_refused(store: Store) -> None:
    with pytest.raises(InputError, match="cannot be combined with --every"):
        add(store, "a.toml", when=When(after=1, every_s=60.0))
    with pytest.raises(InputError, match="there is no job 1"):
        add(store, "a.toml", when=When(after=1))
    with pytest.raises(InputError, match="only allowed in the study"):
        add(store, "a.toml", params={"scenario": {}})


def test_a_parameter_that_the_study_varies_is_not_set(store: Store, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(STUDY + '"params.servers" = [1, 2]\n')
    with pytest.raises(InputError, match="the study already varies `servers`") as caught:
        add(store, "a.toml", params={"servers": 2})
    assert caught.value.where == "a.toml: --set"


def test_a_scenario_and_its_tables_are_copied_as_they_stand(store: Store, tmp_path: Path) -> None:
    (tmp_path / "studies").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "studies" / "own.toml").write_text(SCENARIO)
    (tmp_path / "data" / "people.csv").write_text("name\nann\n")
    (tmp_path / "studies" / "web.toml").write_text(WEB % "own.toml")
    (entry,) = add(store, "studies/web.toml")
    assert entry.study == "studies/web.toml"
    copy = QueueFolder(store.path).study_folder(entry.job)
    before = load_study(tmp_path / "studies" / "web.toml").job
    (tmp_path / "studies" / "own.toml").unlink()
    (tmp_path / "data" / "people.csv").unlink()
    assert load_study(copy / entry.study).job == before


def test_a_scenario_by_its_place_in_the_file_system_is_refused(store: Store, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "people.csv").write_text("name\nann\n")
    (tmp_path / "studies").mkdir()
    (tmp_path / "studies" / "own.toml").write_text(SCENARIO)
    (tmp_path / "web.toml").write_text(WEB % (tmp_path / "studies" / "own.toml"))
    with pytest.raises(InputError, match="is an absolute path"):
        add(store, "web.toml")
