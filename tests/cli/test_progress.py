from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from igen.cli import live
from igen.cli.live import LiveProgress
from igen.cli.numbers import waiting_text
from igen.cli.plain import PlainProgress
from igen.judge.result import Figure, Level, Resources, ResourcesPerTransaction, Times
from igen.judge.trust.trust import Trust
from igen.store.run import Run
from igen.study.levels import PlannedLevel
from igen.study.observer import Observer
from igen.study.order import Execution
from igen.study.plans import PeakPlan, SweepPlan
from igen.study.study import Study
from igen.units import duration_text

PHASES = {"ramp_s": 0.0, "warmup_s": 1.0, "measure_s": 10.0}
PLANNED = [
    PlannedLevel(number=number, values={"load.closed.users": users}, job={"phases": PHASES, "canary_s": 0.2})
    for number, users in enumerate((1, 2))
]
STUDY = Study(name="cpu", job={}, plan=SweepPlan(2))


def result(users: int) -> Level:
    times = Times(mean=4.2, p50=4.0, p90=5.0, p95=6.0, p99=12.5, p999=20.0, max=30.0)
    return Level(
        level=0,
        users=users,
        offered_per_s=None,
        load={"closed": {"users": users}},
        throughput_per_s=Figure(value=20666.0, low=20104.0, high=21243.0, n=2),
        response_time_ms=times,
        service_time_ms=times,
        failed_time_ms=None,
        transactions=100,
        errors=3,
        failures=[],
        unsent=0,
        backlog=0,
        operations={},
        counters={},
        rates={},
        resources=Resources(),
        resources_per_transaction=ResourcesPerTransaction(),
        trust=Trust(),
        findings=[],
        repeats=[],
    )


EVENTS: list[dict[str, Any]] = [
    {"hello": {"protocol": 4}},
    {"phase": {"phase": "prepare", "at_s": 0.0}},
    {
        "progress": {
            "phase": "prepare",
            "text": "loading",
            "done": 250_000,
            "total": 1_000_000,
            "unit": "rows",
        }
    },
    {"phase": {"phase": "measure", "at_s": 1.0, "planned_s": 10.0}},
    {
        "snapshot": {
            "phase": "measure",
            "start_s": 5.0,
            "end_s": 6.0,
            "users": 1,
            "transactions": {"count": 0, "failed": 7, "service_time": {"sum_ns": 0, "hdr": ""}},
        }
    },
]


def play(observer: Observer, study: Study = STUDY, planned: list[PlannedLevel] = PLANNED) -> None:
    """One job of a study, and the end of its level."""
    observer.run_started(Run(Path("run-1")), study, planned)
    execution = Execution(level=planned[1], repeat=1, purpose="sweep")
    observer.job_started(execution)
    observer.waiting(["db1", "web1"])
    observer.waiting([])
    for event in EVENTS:
        observer.event(event)
    observer.warning("mind the gap")
    observer.job_finished(execution, result(2))
    observer.level_finished(result(2))
    observer.job_started(execution)
    observer.job_finished(execution, None)
    observer.close()


def test_without_a_terminal_each_job_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    play(PlainProgress())
    out, err = capsys.readouterr()
    assert out == ""
    assert [line.partition(", about")[0] for line in err.splitlines()] == [
        "run run-1",
        "waiting for readings from db1 and web1, up to 150 s",
        "warning: mind the gap",
        "[1/4] users 2, repeat 2: 20,666/s, p99 12.5 ms, 3 errors",
        "[2/4] users 2, repeat 2: nothing measured",
    ]


def test_jobs_beyond_the_plan_are_counted_apart(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A repeat that others disturbed is replaced."""
    progress = PlainProgress()
    for _ in range(3):
        play(progress)
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("[")]
    counted = [line.split("]")[0] for line in lines]
    assert counted == ["[1/4", "[2/4", "[3/4", "[4/4", "[4/4 + 1", "[4/4 + 2"]
    monkeypatch.setattr(live, "_REDRAW_S", 0.0)
    text = drawn(Study(name="s", job={}, plan=SweepPlan(1)))
    assert "· repeat 2 ·" in text, "repeat 2 of 1"


@pytest.mark.parametrize(
    "study", [Study(name="s", job={}, plan=PeakPlan()), Study(name="s", job={}, plan=SweepPlan("auto"))]
)
def test_jobs_are_counted_where_their_number_is_not_known(
    study: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    play(PlainProgress(), study)
    assert "[2] users" in capsys.readouterr().err
    text = drawn(study)
    assert "level 2" in text
    assert "left" not in text


def drawn(study: Study = STUDY, planned: list[PlannedLevel] = PLANNED) -> str:
    """Everything that the live view drew on a terminal of 80 columns."""
    file = io.StringIO()
    play(LiveProgress(Console(file=file, force_terminal=True, width=80, no_color=True)), study, planned)
    return re.sub(r"\x1b\[[0-9;]*m", "", file.getvalue())


def test_on_a_terminal_the_running_job_is_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "_REDRAW_S", 0.0)
    text = drawn()
    for part in (
        "run run-1",
        "sweep · users 2 · level 2 of 2 · repeat 2 of 2 · about 46 s left",
        "waiting for readings from db1 and web1, up to 150 s",
        "loading: 250,000 of 1,000,000 rows",
        "0/s  p99 -  7 errors",
        "warning: mind the gap",
        "users 2, repeat 2: 20,666/s, p99 12.5 ms, 3 errors",
        "users 2, repeat 2: nothing measured",
        " users  throughput                         mean        p99   errors  verdict",
        "     2  20,666/s (20,104 to 21,243)      4.2 ms    12.5 ms        3  VALID",
    ):
        assert part in text
    assert "…" not in text


def test_rows_of_a_study_of_several_axes_are_told_apart() -> None:
    axes = {"load.closed.users": [1, 2], "params.size": [10]}
    planned = [replace(each, values=each.values | {"params.size": 10}) for each in PLANNED]
    text = drawn(Study(name="s", job={}, plan=SweepPlan(2), axes=axes), planned)
    assert re.search(r"level +throughput", text)
    assert "users 2, size 10  20,666/s" in text


def test_pictures_are_few() -> None:
    assert "loading" not in drawn()


@pytest.mark.parametrize(
    ("machines", "names"),
    [(1, "m1"), (2, "m1 and m2"), (3, "m1, m2 and m3"), (4, "m1, m2, m3 and 1 more")],
)
def test_of_many_machines_that_are_waited_for_some_are_named(machines: int, names: str) -> None:
    text = waiting_text([f"m{number}" for number in range(1, machines + 1)])
    assert text == f"waiting for readings from {names}, up to 150 s"


@pytest.mark.parametrize(
    ("time_s", "text"),
    [(-3.0, "0 s"), (7.6, "8 s"), (59.6, "1 min 0 s"), (248.0, "4 min 8 s"), (7440.0, "2 h 4 min")],
)
def test_times_to_wait_are_told_to_the_second(time_s: float, text: str) -> None:
    assert duration_text(time_s) == text
