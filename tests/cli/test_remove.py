"""`igen remove`: which runs go, which stay, and when it asks."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from igen.cli import run_arguments
from igen.store.active import ActiveRun
from igen.store.run import Run
from igen.store.store import Store

STUDY = {"name": "cpu", "job": {"workload": "cpu"}, "plan": {"mode": "sweep"}}
MEASURED = {"snapshot": {"phase": "measure", "start_s": 0.0, "end_s": 1.0}}


class Terminal(io.StringIO):
    """Somebody who has typed the answer already."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("IGEN_STORE", str(tmp_path / "runs"))
    return Store()


def made(store: Store, system: str, *, measured: bool = True) -> Run:
    run = store.create_run(name="cpu", system=system, title="", study=STUDY)
    start = {"run": run.id, "system": system, "name": "cpu", "title": "", "study": STUDY, "level": 0}
    with run.new_job(start | {"repeat": 0, "purpose": "sweep", "job": {}, "started_unix_s": 0.0}) as writer:
        if measured:
            writer.event(MEASURED)
        writer.end({"exit_code": 0, "signal": None})
    return run


def left(store: Store) -> list[str]:
    return [row.system for row in store.list_runs()]


def test_named_runs_are_removed_whole_and_others_stay(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    before, between, after = (made(store, name) for name in ("before", "between", "after"))
    (before.folder / "report.html").write_text("x" * 4096)
    assert run_arguments(["remove", "before", after.id, before.id, "--yes"]) == 0
    assert left(store) == ["between"]
    assert (between.folder / "run.json").exists()
    assert not before.folder.exists()
    out, err = capsys.readouterr()
    assert out.startswith("Removed 2 runs, ")
    assert err.splitlines()[0].startswith(f"{before.id}  ")


def test_last_is_the_last_run_that_measured(store: Store) -> None:
    made(store, "measured")
    made(store, "failed", measured=False)
    assert run_arguments(["remove", "last", "--yes"]) == 0
    assert left(store) == ["failed"]


@pytest.mark.parametrize(
    ("answer", "code", "systems"), [("y\n", 0, []), ("n\n", 130, ["a"]), ("\n", 130, ["a"])]
)
def test_on_a_terminal_it_is_asked_first(
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    answer: str,
    code: int,
    systems: list[str],
) -> None:
    made(store, "a")
    monkeypatch.setattr("sys.stdin", Terminal(answer))
    assert run_arguments(["remove", "a"]) == code
    assert left(store) == systems
    assert "Remove 1 run?" in "".join(capsys.readouterr())


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("remove", "name at least one run"),
        (
            "remove a",
            "removing 1 run needs a confirmation\nhint: there is no terminal to confirm it: use --yes",
        ),
        ("remove nobody --yes", "no run `nobody`"),
        ("remove a nobody --yes", "no run `nobody`"),
        ("remove {other} --yes", "is not a run in "),
        ("remove {inside} --yes", "is not a run in "),
    ],
)
def test_what_cannot_be_removed_is_named_and_nothing_is(
    store: Store,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    line: str,
    said: str,
) -> None:
    run = made(store, "a")
    other = made(Store(tmp_path / "other"), "theirs")
    monkeypatch.setattr("sys.stdin", io.StringIO())
    arguments = line.format(other=other.folder, inside=run.folder / "jobs").split()
    assert run_arguments(arguments) == 2
    assert said in capsys.readouterr().err
    assert left(store) == ["a"]
    assert other.folder.exists()


def test_a_run_that_is_going_on_stays(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    run = made(store, "a")
    with ActiveRun(store.path, run.id):
        assert run_arguments(["remove", "a", "--yes"]) == 2
    assert "is still running" in capsys.readouterr().err
    assert left(store) == ["a"]
