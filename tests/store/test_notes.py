from __future__ import annotations

from pathlib import Path

import pytest

from igen.errors import InputError
from igen.store.catalog import keep_judged
from igen.store.notes import NOTES_FILE, add_note, change_tags, read_notes
from igen.store.store import Store
from tests.store.test_catalog import GOOD, add_run


def test_notes_and_tags_are_lines_that_are_only_appended(tmp_path: Path) -> None:
    run = add_run(Store(tmp_path), GOOD)
    add_note(run, " the new disk ", "Anna")
    change_tags(run, ["q3", "draft"])
    before = (run.folder / NOTES_FILE).read_bytes()
    change_tags(run, [], ["draft"])
    add_note(run, "still good")
    assert (run.folder / NOTES_FILE).read_bytes().startswith(before)
    said = read_notes(run)
    assert [(each.by, each.text) for each in said.texts] == [("Anna", "the new disk"), ("", "still good")]
    assert said.tags == ["q3"]


def test_a_tag_that_is_there_is_not_put_on_twice(tmp_path: Path) -> None:
    run = add_run(Store(tmp_path), GOOD)
    change_tags(run, ["q3"])
    before = (run.folder / NOTES_FILE).read_bytes()
    change_tags(run, ["q3"], ["draft"])
    assert (run.folder / NOTES_FILE).read_bytes() == before


@pytest.mark.parametrize("tag", ["", "Q3", "a b", "-a", "x" * 41, "a%"])
def test_what_is_no_tag_is_refused(tmp_path: Path, tag: str) -> None:
    run = add_run(Store(tmp_path), GOOD)
    with pytest.raises(InputError):
        change_tags(run, [tag])


@pytest.mark.parametrize("text", ["", "  \n", "x" * 4001])
def test_an_empty_note_is_refused_and_a_long_one(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError):
        add_note(add_run(Store(tmp_path), GOOD), text)


def test_a_line_that_was_cut_off_hides_no_other(tmp_path: Path) -> None:
    run = add_run(Store(tmp_path), GOOD)
    add_note(run, "first")
    with (run.folder / NOTES_FILE).open("ab") as file:
        file.write(b'{"at_unix_s": 1, "text": "cut o')
    add_note(run, "second")
    assert [each.text for each in read_notes(run).texts] == ["first", "second"]


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("", ["b", "a"]),
        ("workload:cpu", ["b", "a"]),
        ("workload:oltp", []),
        ("tag:q3", ["a"]),
        ("-tag:q3", ["b"]),
        ("q3", ["a"]),
        ("peak>5000", ["b"]),
        ("peak<=5000", ["a"]),
        ("-peak>5000", ["a"]),
        ("verdict:valid", ["b"]),
        ("state:cut_off", ["a"]),
        ("state:complete peak>1", ["b"]),
        ("tag:hidden", ["c"]),
        ("before:2001-01-01", []),
        ("after:2001-01-01", ["b", "a"]),
        ("50%", []),
        ("-" * 999, []),
        ("-" * 500 + "tag:q3", ["a"]),
        ("-" * 501 + "tag:q3", ["b"]),
        ("-tag:x " * 50, ["b", "a"]),
    ],
)
def test_runs_are_found(tmp_path: Path, search: str, found: list[str]) -> None:
    store = Store(tmp_path)
    runs = {"a": add_run(store, GOOD, None), "b": add_run(store, GOOD), "c": add_run(store, GOOD)}
    change_tags(runs["a"], ["q3"])
    change_tags(runs["c"], ["hidden"])
    keep_judged(tmp_path, runs["a"], 5000.0, "SUSPECT")
    keep_judged(tmp_path, runs["b"], 6000.0, "VALID")
    names = {run.id: name for name, run in runs.items()}
    page = store.find_runs(search)
    assert sorted(names[row.run] for row in page.rows) == sorted(found)
    assert page.found == len(found)


def test_what_was_judged_is_forgotten_when_the_run_changes(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run = add_run(store, GOOD)
    keep_judged(tmp_path, run, 6000.0, "VALID")
    assert store.list_runs()[0].peak_per_s == 6000.0
    change_tags(run, ["q3"])
    assert (store.list_runs()[0].peak_per_s, store.list_runs()[0].tags) == (6000.0, ["q3"])
    with run.new_job({"level": 1, "job": {"workload": "cpu"}}) as writer:
        writer.end(GOOD)
    assert store.list_runs()[0].peak_per_s is None


def test_a_page_of_the_list_is_the_newest_first(tmp_path: Path) -> None:
    store = Store(tmp_path)
    runs = [add_run(store, GOOD).id for _ in range(5)]
    page = store.find_runs("", offset=1, most=2)
    assert page.found == 5
    everything = [row.run for row in store.find_runs("").rows]
    assert [row.run for row in page.rows] == everything[1:3]
    assert sorted(everything) == sorted(runs)


@pytest.mark.parametrize("search", ["colour:red", "peak>many", "after:yesterday", "x" * 1001, "a " * 51])
def test_what_cannot_be_looked_for_is_told(tmp_path: Path, search: str) -> None:
    with pytest.raises(InputError):
        Store(tmp_path).find_runs(search)
