from __future__ import annotations

from pathlib import Path

import pytest

from igen.damage import Damage
from igen.errors import IgenError, InputError
from igen.store.job_file import read_job_file
from igen.store.run import Run
from igen.store.store import Store

STUDY = {"name": "cpu", "job": {"workload": "cpu"}, "plan": {"mode": "sweep"}}


def make(store: Store, system: str = "host", *, complete: bool = True) -> Run:
    run = store.create_run(name="cpu", system=system, title="A title", study=STUDY)
    record = run.read_record()
    start = {
        "run": record.run,
        "system": system,
        "name": "cpu",
        "title": "A title",
        "study": STUDY,
        "level": 0,
        "repeat": 0,
        "purpose": "sweep",
        "job": {"workload": "cpu"},
        "started_unix_s": record.created_unix_s,
    }
    with run.new_job(start) as writer:
        writer.event({"hello": {}})
        if complete:
            writer.end({"exit_code": 0, "signal": None})
    return run


def test_the_store_is_where_it_is_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IGEN_STORE", "/elsewhere")
    assert Store("/given").path == Path("/given")
    assert Store().path == Path("/elsewhere")
    monkeypatch.delenv("IGEN_STORE")
    assert Store().path == Path("igen-runs")


def test_runs_made_in_the_same_second_have_ids_of_their_own(tmp_path: Path) -> None:
    store = Store(tmp_path)
    runs = [
        store.create_run(name="A name: with signs!", system="s", title="t", study={}).id for _ in range(100)
    ]
    assert len(set(runs)) == len(runs)
    assert all("-a-name-with-signs-" in run for run in runs)


def test_the_record_is_read_as_written(tmp_path: Path) -> None:
    run = make(Store(tmp_path))
    record = run.read_record()
    assert (record.run, record.system, record.title, record.study) == (run.id, "host", "A title", STUDY)
    assert run.warnings == []


def test_a_run_opens_with_its_record_cut_off_at_any_byte(tmp_path: Path) -> None:
    run = make(Store(tmp_path))
    whole = run.read_record()
    path = run.folder / "run.json"
    data = path.read_bytes()
    for size in range(len(data) - 2):
        path.write_bytes(data[:size])
        run.warnings.clear()
        record = run.read_record()
        assert run.warnings, size
        assert (record.run, record.name, record.system, record.title, record.study) == (
            whole.run,
            whole.name,
            whole.system,
            whole.title,
            whole.study,
        )


def test_a_run_of_which_nothing_is_left_opens(tmp_path: Path) -> None:
    run = make(Store(tmp_path))
    (run.folder / "run.json").unlink()
    for path in run.job_paths():
        path.write_bytes(b"")
    assert run.read_record().run == run.id
    assert [[*read_job_file(path).events] for path in run.job_paths()] == [[]]
    assert len(run.warnings) == 1


def test_jobs_are_numbered_in_the_order_of_execution(tmp_path: Path) -> None:
    run = make(Store(tmp_path))
    with run.new_job({"level": 1}) as writer:
        writer.end({})
    assert [path.name for path in run.job_paths()] == ["0001.jsonl", "0002.jsonl"]
    assert run.floor_path is None


def measured(run: Run) -> Run:
    with run.new_job({"level": 0}) as writer:
        writer.event({"snapshot": {"phase": "measure", "start_s": 0.0, "end_s": 1.0}})
        writer.end({"exit_code": 0, "signal": None})
    return run


def test_the_last_run_is_the_last_that_measured(tmp_path: Path) -> None:
    """A start that failed hides nothing."""
    store = Store(tmp_path)
    first, second = measured(make(store, "before")), measured(make(store, "after"))
    make(store, "before")
    failed = make(store, "after", complete=False)
    assert store.find("last").id == second.id
    assert store.find("before").id == first.id
    assert store.find(failed.id).id == failed.id


def test_where_no_run_has_measured_the_last_one_is_found(tmp_path: Path) -> None:
    store = Store(tmp_path)
    make(store, "before")
    failed = make(store, "after")
    assert store.find("last").id == failed.id
    assert store.find("after").id == failed.id


def test_a_record_that_was_changed_is_told_and_rebuilt_from_the_jobs(tmp_path: Path) -> None:
    run = make(Store(tmp_path))
    path = run.folder / "run.json"
    path.write_bytes(path.read_bytes().replace(b"A title", b"A lie  "))
    assert run.read_record().title == "A title"
    assert run.warnings == [Damage(kind="record-rebuilt", file="run.json")]


def test_control_characters_in_a_name_are_spelled(tmp_path: Path) -> None:
    run = Store(tmp_path).create_run(name="n\x1b[2J", system="s\x00\u202e", title="t\x07", study=STUDY)
    record = run.read_record()
    assert (record.name, record.system, record.title) == ("n\\x1b[2J", "s\\x00\\u202e", "t\\x07")


def test_a_run_is_found_by_everything_a_user_may_call_it(tmp_path: Path) -> None:
    store = Store(tmp_path)
    first, second, third = (measured(make(store, name)) for name in ("before", "before", "after"))
    assert store.find("last").id == third.id
    assert store.find("before").id == second.id
    assert store.find(first.id).id == first.id
    assert store.find(str(first.folder)).id == first.id
    assert store.find(third.id[:-1]).id == third.id


@pytest.mark.parametrize("reference", ["nonsense", "", "2"])
def test_a_name_that_is_none_or_fits_several_is_bad_input(tmp_path: Path, reference: str) -> None:
    store = Store(tmp_path)
    make(store)
    make(store)
    with pytest.raises(InputError) as caught:
        store.find(reference)
    assert caught.value.hint


def test_an_empty_store_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no runs"):
        Store(tmp_path / "none").find("last")
    assert not (tmp_path / "none").exists()


def test_a_store_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(IgenError) as caught:
        Store(tmp_path / "file").create_run(name="n", system="s", title="t", study={})
    assert caught.value.hint
