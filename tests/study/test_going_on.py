"""Going on with a run that ended early: what was measured is kept, whatever befalls the rest."""

from __future__ import annotations

import fcntl
import json
import os
import socket
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from igen.cli.plain import PlainProgress
from igen.errors import IgenError, InputError
from igen.fleet.agent import Agent
from igen.judge.result import Finding
from igen.store.active import ActiveRun
from igen.store.run import Run
from igen.store.store import Store
from igen.study import runner
from igen.study.observer import Observer, Observers
from igen.study.orders import peak
from igen.study.orders.peak import PeakOrder
from igen.study.plans import PeakPlan, SweepPlan
from igen.study.results import read_systems
from igen.study.runner import Outcome, run_study
from igen.study.study import Study, StudyTest
from igen.telemetry.totals import Totals
from igen.workbench.resumed import resumed
from tests.said import say
from tests.study.test_runner import GOOD, MEASURED, REFUSED, Told, levels_of, run

LONG_GOOD = [*GOOD, "hello"]
KILLED = ["hello", *MEASURED, "killed"]


def go_on(stand_in: Path, beside: Observer | None = None) -> tuple[Outcome, Told]:
    store, told = Store(stand_in.parent / "runs"), Told()
    begun, study = resumed("last", store, torture_s=None, force=False)
    observer = Observers([told, beside or Observer()])
    return run_study(study, Agent(stand_in), store, observer, begun), told


def cut_off(path: Path) -> None:
    """As its igen leaves it when that is killed."""
    path.write_bytes(path.read_bytes().rstrip(b"\n").rpartition(b"\n")[0])


def begun_without(first: Outcome, *jobs: str) -> Path:
    """The jobs folder of a run that was killed in the first of these jobs, before the others."""
    folder = first.run.folder / "jobs"
    cut_off(folder / jobs[0])
    for name in jobs[1:]:
        (folder / name).unlink()
    first.run.write_outcome("begun")
    return folder


def names_in(folder: Path, pattern: str) -> list[str]:
    return sorted(path.name for path in folder.glob(pattern))


def contents(folder: Path) -> dict[str, bytes]:
    """What the files that count hold."""
    return {path.name: path.read_bytes() for path in folder.glob("*.jsonl")}


def notes_of(run: Run) -> list[Finding]:
    return read_systems(Run(run.folder))[0].findings


class Changing:
    """A study whose agent does what a file says at that time, in each of its tests."""

    def __init__(self, stand_in: Path, *tests: list[Any]) -> None:
        self._files = [stand_in.parent / f"faults-{place}.json" for place in range(len(tests))]
        self.does(*tests)
        self.study = Study(
            name="faults",
            system="here",
            plan=SweepPlan(1),
            job={"workload": "model", "load": {"closed": {"users": 1}}},
            tests=[
                StudyTest(name=f"T{place}", job={"faults_in": str(path)})
                for place, path in enumerate(self._files)
            ],
        )

    def does(self, *tests: list[Any]) -> None:
        for path, faults in zip(self._files, tests, strict=True):
            path.write_text(json.dumps(faults))


def test_a_run_that_was_cut_off_goes_on_with_the_execution_that_was(stand_in: Path) -> None:
    first, _ = run(stand_in, GOOD, LONG_GOOD, repeats=2)
    jobs = begun_without(first, "0003.jsonl", "0004.jsonl")
    before = {name: (jobs / name).read_bytes() for name in ("0001.jsonl", "0002.jsonl")}
    totals = Totals()

    outcome, told = go_on(stand_in, totals)

    assert (outcome.error, outcome.run.read_record().outcome) == (None, "complete")
    assert [call for call in told.calls if "." in call] == ["kept 0.0", "kept 1.0", "0.1", "1.1"]
    assert names_in(jobs, "*.jsonl*") == [
        *("0001.jsonl", "0002.jsonl", "0003.jsonl.cut-off", "0004.jsonl", "0005.jsonl"),
    ]
    assert {name: (jobs / name).read_bytes() for name in before} == before, "they are not measured again"
    assert [len(level.repeats) for level in levels_of(outcome)] == [2, 2]
    assert [level.trust.verdict for level in levels_of(outcome)] == [
        level.trust.verdict for level in levels_of(first)
    ]
    assert [each.rule for each in notes_of(first.run)] == ["run-resumed"]
    assert names_in(first.run.folder, "floor*") == ["floor.jsonl"]
    (executions,) = [family for family in totals.families() if family.name == "igen_executions"]
    assert sum(float(str(point.value)) for point in executions.points) == 2, "those of this session"


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ([REFUSED, {"exit": 2}], InputError),
        (["hello", REFUSED, {"exit": 1}], IgenError),
        (["hello", "killed"], IgenError),
    ],
    ids=["refused", "failed", "killed"],
)
def test_a_session_that_measures_nothing_leaves_the_run_as_it_was(
    stand_in: Path, fault: list[Any], kind: type[IgenError]
) -> None:
    changing = Changing(stand_in, GOOD, GOOD, GOOD)
    store = Store(stand_in.parent / "runs")
    first = run_study(changing.study, Agent(stand_in), store, Told())
    jobs = begun_without(first, "0002.jsonl", "0003.jsonl")
    before, levels = contents(jobs), levels_of(first)
    changing.does(fault, fault, fault)

    for _ in range(2):
        outcome, told = go_on(stand_in)

        assert type(outcome.error) is kind
        assert [call for call in told.calls if "." in call] == ["kept 0.0", "1.0"], "it ends there"
        assert contents(jobs) == before
        assert levels_of(outcome) == levels, "what was there is shown as before"
        assert "run-resumed" not in [each.rule for each in notes_of(first.run)]
        assert outcome.run.read_record().outcome == "failed"

    changing.does(GOOD, GOOD, GOOD)
    outcome, _ = go_on(stand_in)
    assert (outcome.error, outcome.run.read_record().outcome) == (None, "complete")
    assert [len(level.repeats) for level in levels_of(outcome)] == [1, 1, 1]
    assert "run-resumed" in [each.rule for each in notes_of(first.run)]


def test_what_failed_without_measuring_is_begun_again(stand_in: Path) -> None:
    changing = Changing(stand_in, GOOD, ["hello", REFUSED, {"exit": 1}], LONG_GOOD)
    store = Store(stand_in.parent / "runs")
    first = run_study(changing.study, Agent(stand_in), store, Told())
    assert first.run.read_record().outcome == "failed"
    changing.does(GOOD, GOOD, LONG_GOOD)
    outcome, told = go_on(stand_in)
    assert outcome.error is None
    assert [call for call in told.calls if "." in call] == ["kept 0.0", "1.0", "kept 2.0"]
    assert names_in(first.run.folder / "jobs", "*.jsonl*") == [
        *("0001.jsonl", "0002.jsonl.cut-off", "0003.jsonl", "0004.jsonl"),
    ]
    assert not any(level.trust.verdict == "INVALID" for level in levels_of(outcome))


@pytest.mark.parametrize("fault", [KILLED, [*GOOD[:-1], "killed"], ["hello", *MEASURED, {"exit": 130}]])
def test_an_execution_whose_agent_was_stopped_from_outside_is_begun_again(
    stand_in: Path, fault: list[Any]
) -> None:
    """By a signal in MEASURE or DRAIN, whether it could still say so or not."""
    changing = Changing(stand_in, GOOD, fault, LONG_GOOD)
    first = run_study(changing.study, Agent(stand_in), Store(stand_in.parent / "runs"), Told())
    assert first.run.read_record().outcome == "failed"
    changing.does(GOOD, GOOD, LONG_GOOD)
    outcome, told = go_on(stand_in)
    assert (outcome.error, outcome.run.read_record().outcome) == (None, "complete")
    assert [call for call in told.calls if "." in call] == ["kept 0.0", "1.0", "kept 2.0"]
    assert not any(level.trust.verdict == "INVALID" for level in levels_of(outcome))


def test_what_failed_before_a_run_went_on_is_a_failure_of_it(stand_in: Path) -> None:
    first, _ = run(stand_in, GOOD, KILLED, LONG_GOOD)
    cut_off(first.run.folder / "jobs" / "0003.jsonl")
    cut_off(first.run.folder / "floor.jsonl")
    outcome, told = go_on(stand_in)
    assert "SIGKILL" in str(outcome.error)
    assert outcome.run.read_record().outcome == "failed"
    assert len(told.warnings) == 1
    assert names_in(first.run.folder, "floor*") == ["floor.jsonl", "floor.jsonl.cut-off"]


def test_what_would_not_be_the_rest_of_the_same_run_is_refused(
    stand_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome, _ = run(stand_in, GOOD)
    with pytest.raises(InputError, match="is complete"):
        go_on(stand_in)
    outcome.run.write_outcome("failed")
    with pytest.raises(InputError, match="is not a torture run"):
        resumed("last", Store(stand_in.parent / "runs"), torture_s=1.0, force=False)
    record = outcome.run.read_record()
    outcome.run.write_record(replace(record, igen_version="0.0.1"))
    with pytest.raises(InputError, match=r"was started by igen 0\.0\.1"):
        go_on(stand_in)
    outcome.run.write_record(record)
    with monkeypatch.context() as elsewhere:
        elsewhere.chdir(stand_in.parent)
        with pytest.raises(InputError, match="was started in") as caught:
            go_on(stand_in)
        assert f"`cd {record.folder}`" in caught.value.hint
    for boot in ("another", ""):
        outcome.run.write_record(replace(record, boot=boot))
        with monkeypatch.context() as elsewhere:
            elsewhere.setattr(socket, "gethostname", lambda: "elsewhere")
            with pytest.raises(InputError, match=f"was measured on {record.host}, and this is elsewhere"):
                go_on(stand_in)
    outcome.run.write_record(replace(record, folder="", host="", boot=""))
    assert go_on(stand_in)[0].error is None, "earlier releases wrote down neither"


def test_a_run_goes_on_in_another_container_of_its_machine(
    stand_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome, _ = run(stand_in, GOOD, LONG_GOOD)
    begun_without(outcome, "0002.jsonl")
    boot = outcome.run.read_record().boot
    assert boot == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    monkeypatch.setattr(socket, "gethostname", lambda: "elsewhere")
    assert go_on(stand_in)[0].error is None
    record = outcome.run.read_record()
    assert (record.host, record.boot, len(record.resumed_unix_s)) == ("elsewhere", boot, 1)


@pytest.mark.parametrize("damage", [None, b"", b'{"run": "'], ids=["missing", "empty", "cut off"])
def test_a_run_whose_record_is_damaged_is_refused_for_that(stand_in: Path, damage: bytes | None) -> None:
    outcome, _ = run(stand_in, GOOD)
    path = outcome.run.folder / "run.json"
    if damage is None:
        path.unlink()
    else:
        path.write_bytes(damage)
    with pytest.raises(InputError, match=r"run\.json of .* is missing or damaged"):
        resumed(str(outcome.run.folder), Store(stand_in.parent / "runs"), torture_s=None, force=False)


def test_what_was_measured_of_another_job_is_not_mixed_with_the_rest(stand_in: Path) -> None:
    first, _ = run(stand_in, GOOD, LONG_GOOD)
    jobs = begun_without(first, "0002.jsonl")
    record = first.run.read_record()
    job = record.study["job"] | {"params": {"sizes": [1, 2]}}
    first.run.write_record(replace(record, study=record.study | {"job": job}))
    before = contents(jobs)

    outcome, told = go_on(stand_in)

    assert type(outcome.error) is InputError
    assert "T0 differs from its job in 0001.jsonl: `params.sizes` has changed" in str(outcome.error)
    assert told.calls == ["closed"]
    assert contents(jobs) == before
    assert Run(first.run.folder).read_record().outcome == "begun", "it may still go on"


def test_a_search_goes_on_by_the_noise_of_its_begin(stand_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    noises: list[float | None] = []

    class Searches(PeakOrder):
        def __init__(self, *values: Any, **named: Any) -> None:
            noises.append(values[-1])
            super().__init__(*values, **named)

    monkeypatch.setattr(peak, "PeakOrder", Searches)
    monkeypatch.setattr(runner, "_noise_of", lambda _study, _store: 0.03)
    job = {"workload": "model", "load": {"closed": {"users": 1}}, "faults": [REFUSED, {"exit": 2}]}
    study = Study(name="peak", plan=PeakPlan(), job=job)
    run_study(study, Agent(stand_in), Store(stand_in.parent / "runs"), Told())
    monkeypatch.setattr(runner, "_noise_of", lambda _study, _store: 0.5)
    go_on(stand_in)
    assert noises == [0.03, 0.03]


def test_of_two_who_go_on_with_a_run_one_is_refused(stand_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, _ = run(stand_in, GOOD, LONG_GOOD)
    jobs = begun_without(first, "0002.jsonl")
    store = Store(stand_in.parent / "runs")
    begun, study = resumed("last", store, torture_s=None, force=False)
    before = contents(jobs)
    with ActiveRun(store.path, begun.id), pytest.raises(InputError, match="is still running"):
        run_study(study, Agent(stand_in), store, Told(), begun)
    assert contents(jobs) == before
    assert go_on(stand_in)[0].error is None
    with pytest.raises(InputError, match="is complete"):
        run_study(study, Agent(stand_in), store, Told(), begun)

    looks = iter(range(3))
    flock = fcntl.flock

    def looked_at(descriptor: int, how: int) -> None:
        if next(looks, None) is not None:
            raise BlockingIOError
        flock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", looked_at)
    with ActiveRun(store.path, begun.id, begun=True):
        assert next(looks, None) is None, "who looks at it does not go on with it"


def test_where_nothing_is_left_to_do_that_is_said(stand_in: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, _ = run(stand_in, GOOD, LONG_GOOD)
    first.run.write_outcome("begun")
    before = contents(first.run.folder / "jobs")
    outcome, told = go_on(stand_in, PlainProgress())
    assert told.warnings == ["nothing to do: the run was already complete"]
    assert (outcome.error, outcome.run.read_record().outcome) == (None, "complete")
    assert contents(first.run.folder / "jobs") == before
    assert notes_of(first.run) == [], "all of it is of one session"
    err = capsys.readouterr().err
    assert "[1/2] kept: T0, repeat 1: " in err


def test_of_the_times_at_which_a_run_went_on_the_last_ones_are_named(stand_in: Path) -> None:
    outcome, _ = run(stand_in, GOOD)
    record = outcome.run.read_record()
    when: dict[str, list[float]] = {
        "at 2020-09-13 12:26 UTC": [1e300, -1e300, 1.6e9],
        "2 times before, and then at 2020-09-13 12:26 UTC and at 2020-09-13 12:28 UTC and at 2020-09-13 12:30"
        " UTC": [1.5e9, 1.55e9, 1.6e9, 1.6e9 + 120, 1.6e9 + 240],
    }
    for said, times in when.items():
        fields = msgspec.to_builtins(replace(record, resumed_unix_s=times, crc32=""))
        (outcome.run.folder / "run.json").write_bytes(msgspec.json.encode(fields))
        (note,) = notes_of(outcome.run)
        assert [part.figure for part in note.parts] == [each for each in times if 0 <= each < 1e10]
        assert f" {said}:" in say(note)
    fields = msgspec.to_builtins(replace(record, resumed_unix_s=[1e300], crc32=""))
    (outcome.run.folder / "run.json").write_bytes(msgspec.json.encode(fields))
    assert notes_of(outcome.run) == []
    assert os.path.samefile(record.folder, Path.cwd())
