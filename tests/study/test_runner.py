from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from igen.errors import IgenError, InputError
from igen.fleet.agent import Agent
from igen.judge.result import Level
from igen.store.active import ActiveRun
from igen.store.store import Store
from igen.study import runner
from igen.study.levels import PlannedLevel
from igen.study.observer import Observer
from igen.study.plans import SweepPlan
from igen.study.results import read_systems
from igen.study.runner import Outcome, State, run_study
from igen.study.study import Study, StudySystem, StudyTest
from tests.said import rules


def snapshot(start_s: float, count: int = 100) -> dict[str, Any]:
    return {
        "snapshot": {
            "phase": "measure",
            "start_s": start_s,
            "end_s": start_s + 0.1,
            "users": 1,
            "transactions": {"count": count, "failed": 0, "service_time": {"sum_ns": 0, "hdr": ""}},
        }
    }


MEASURE = {"phase": {"phase": "measure", "at_s": 0.0}}
MEASURED = [MEASURE, *(snapshot(index / 10) for index in range(10))]
GOOD = ["hello", *MEASURED, {"end": {"outcome": "complete", "at_s": 1.0}}]
REFUSED = {"error": {"path": "targets", "text": "not mine", "hint": "another"}}


class Told(Observer):
    """Keeps what it is told; may do something when a job has finished."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.warnings: list[str] = []

    def job_started(self, execution: Any) -> None:
        self.calls.append(f"{execution.level.number}.{execution.repeat}")

    def job_finished(self, execution: Any, result: Any) -> None:
        self.calls.append("measured" if result and result.transactions else "nothing")

    def kept(self, execution: Any, result: Any) -> None:
        self.calls.append(f"kept {execution.level.number}.{execution.repeat}")

    def level_finished(self, result: Any) -> None:
        self.calls.append(f"level {result.level}")

    def warning(self, text: str) -> None:
        self.warnings.append(text)

    def close(self) -> None:
        self.calls.append("closed")


def run(
    stand_in: Path, *levels: list[Any], observer: Observer | None = None, repeats: int = 1
) -> tuple[Outcome, Any]:
    study = Study(
        name="faults",
        system="here",
        plan=SweepPlan(repeats),
        job={"workload": "model", "load": {"closed": {"users": 1}}},
        tests=[StudyTest(name=f"T{place}", job={"faults": faults}) for place, faults in enumerate(levels)],
    )
    observer = observer or Told()
    return run_study(study, Agent(stand_in), Store(stand_in.parent / "runs"), observer), observer


def levels_of(outcome: Outcome) -> list[Level]:
    """Levels of all systems: each test makes one."""
    return [level for system in read_systems(outcome.run) for level in system.levels]


def test_every_execution_is_recorded_and_told(stand_in: Path) -> None:
    outcome, told = run(stand_in, GOOD, [*GOOD, "hello"], repeats=2)
    assert (outcome.error, outcome.measured, outcome.interrupted) == (None, True, False)
    assert told.calls == [
        *("0.0", "measured", "1.0", "measured", "0.1", "measured", "level 0", "1.1", "measured"),
        *("level 1", "closed"),
    ]
    assert [len(level.repeats) for level in levels_of(outcome)] == [2, 2]
    assert outcome.run.floor_path is not None
    assert [path.suffix for path in sorted((outcome.run.folder / "jobs").iterdir())] == 4 * [".jsonl"]


def test_levels_side_by_side_are_told_when_their_block_is_done(stand_in: Path) -> None:
    study = Study(
        name="sides",
        plan=SweepPlan(2),
        job={"workload": "model", "load": {"closed": {"users": 1}}},
        systems=[
            StudySystem(name="A", job={"faults": GOOD}),
            StudySystem(name="B", job={"faults": [*GOOD, "hello"]}),
        ],
    )
    told = Told()
    outcome = run_study(study, Agent(stand_in), Store(stand_in.parent / "runs"), told)
    assert outcome.error is None
    assert told.calls.count("measured") == 4
    assert told.calls[-3:] == ["level 0", "level 1", "closed"]


@pytest.mark.parametrize(
    ("first", "kind", "said"),
    [
        ([REFUSED, {"exit": 2}], InputError, "not mine"),
        (["hello", REFUSED, {"exit": 1}], IgenError, "not mine"),
        (["hello", "killed"], IgenError, "SIGKILL"),
    ],
)
def test_an_error_before_anything_was_measured_ends_the_study(
    stand_in: Path, first: list[Any], kind: type[IgenError], said: str
) -> None:
    outcome, told = run(stand_in, first, GOOD)
    assert type(outcome.error) is kind
    assert said in str(outcome.error)
    assert not outcome.measured
    assert told.calls == ["0.0", "closed"]


@pytest.mark.parametrize(
    ("second", "ended"), [([*GOOD, "hello"], "complete"), (["hello", *MEASURED, "killed"], "failed")]
)
def test_the_record_says_how_the_run_ended(stand_in: Path, second: list[Any], ended: str) -> None:
    outcome, _ = run(stand_in, GOOD, second)
    assert outcome.run.read_record().outcome == ended


@pytest.mark.parametrize(
    "fault",
    [["hello", *MEASURED, "killed"], ["hello", REFUSED, {"exit": 2}], ["hello", MEASURE, {"raw": "?\n"}]],
)
def test_later_the_study_goes_on_and_fails_at_its_end(stand_in: Path, fault: list[Any]) -> None:
    outcome, told = run(stand_in, GOOD, fault, GOOD[:-1] + GOOD[-1:] + ["hello"])
    assert type(outcome.error) is IgenError
    assert told.calls[-3:] == ["measured", "level 2", "closed"]
    assert len(told.warnings) == 1
    assert [level.trust.verdict == "INVALID" for level in levels_of(outcome)] == [False, True, False]


def test_an_agent_of_another_release_ends_the_study(stand_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IGEN_STAND_IN_VERSION", "0.0.0")
    outcome, _ = run(stand_in, GOOD)
    assert outcome.error is not None
    assert "make setup" in outcome.error.hint
    assert outcome.run.job_paths() == []


def test_an_interrupt_between_two_jobs_ends_the_study(stand_in: Path) -> None:
    class Impatient(Told):
        def job_finished(self, execution: Any, result: Any) -> None:
            os.kill(os.getpid(), signal.SIGINT)

    outcome, told = run(stand_in, GOOD, [*GOOD, "hello"], observer=Impatient())
    assert (outcome.interrupted, outcome.error, outcome.measured) == (True, None, True)
    assert told.calls == ["0.0", "level 0", "closed"]
    # Its one job is complete; the run is not.
    (row,) = Store(stand_in.parent / "runs").list_runs()
    assert (row.jobs, row.state) == (1, "interrupted")


def test_another_run_in_the_store_is_told_once_and_recorded(stand_in: Path) -> None:
    store = stand_in.parent / "runs"
    store.mkdir()
    with ActiveRun(store, "other"):
        outcome, told = run(stand_in, GOOD, [*GOOD, "hello"])
    assert len([warning for warning in told.warnings if "another run" in warning]) == 1
    assert read_systems(outcome.run)[0].facts["environment.concurrent_runs"] == 1
    assert all("concurrent-runs" in rules(level) for level in levels_of(outcome))


def test_a_warning_of_the_agent_is_told_once(stand_in: Path) -> None:
    warning = {"warning": {"text": "cannot pin"}}
    _, told = run(stand_in, ["hello", warning, *GOOD[1:]], ["hello", warning, *GOOD[1:], warning])
    assert told.warnings == ["cannot pin"]


def test_bad_input_leaves_nothing_behind(stand_in: Path) -> None:
    study = Study(name="twice", job={"workload": "model"}, axes={"load.closed.users": [1, 1]})
    with pytest.raises(InputError):
        run_study(study, Agent(stand_in), Store(stand_in.parent / "runs"), Told())
    assert not (stand_in.parent / "runs").exists()


@pytest.mark.parametrize(
    ("measure_s", "levels", "floor_s"), [(0.2, 1, 0.06), (1.0, 4, 0.2), (10.0, 4, 0.3), (0.2, 100, 0.3)]
)
def test_the_floor_is_measured_for_a_small_part_of_the_study(
    measure_s: float, levels: int, floor_s: float
) -> None:
    one = PlannedLevel(number=0, values={}, job={"phases": {"measure_s": measure_s}})
    assert runner.floor_phases([one] * levels)["measure_s"] == pytest.approx(floor_s)


@pytest.mark.parametrize(
    ("first", "events", "last"),
    [
        (State.NEW, "executes stops", State.NEW),
        (State.NEW, "executes measures stops", State.MEASURED),
        (State.KEPT, "", State.KEPT),
        (State.KEPT, "stops executes measures", State.LEFT),
        (State.KEPT, "executes stops", State.RESUMED),
        (State.KEPT, "executes measures executes stops", State.MEASURED),
    ],
)
def test_a_session_is_in_one_state(first: State, events: str, last: State) -> None:
    state = first
    for event in events.split():
        state = runner._NEXT.get((state, event), state)  # type: ignore[call-overload]
    assert state is last
