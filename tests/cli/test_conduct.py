"""What the user reads last, and the exit code."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from igen.agent_program import AGENT_VARIABLE
from igen.cli.conduct import conduct
from igen.errors import IgenError, Interrupted
from igen.store.store import Store
from igen.study.plans import SweepPlan
from igen.study.study import Study, StudyTest

MEASURE = {"phase": {"phase": "measure", "at_s": 0.0}}
NO_TIMES = {"sum_ns": 0, "hdr": ""}


def interval(number: int, *, count: int = 100, failed: int = 0) -> dict[str, Any]:
    transactions = {"count": count, "failed": failed, "service_time": NO_TIMES}
    times = {"start_s": number / 10, "end_s": (number + 1) / 10}
    return {"snapshot": {"phase": "measure", "users": 1, "transactions": transactions, **times}}


END = {"end": {"outcome": "complete", "at_s": 1.0}}
GOOD = ["hello", MEASURE, *(interval(number) for number in range(10)), END]


def processors(at_s: float) -> dict[str, Any]:
    """A reading of two processors of which a hypervisor takes half."""
    counters = {"user_s": at_s, "steal_s": at_s, "idle_s": 0.0}
    return {"reading": {"monitor": "cpu", "subject": "", "at_s": at_s, "counters": counters}}


DISTURBED = [
    "hello",
    MEASURE,
    processors(0.0),
    *(each for number in range(10) for each in (interval(number), processors((number + 1) / 10))),
    END,
]
USELESS = ["hello", MEASURE, *(interval(number, failed=100) for number in range(10)), END]
STOPPED = {"end": {"outcome": "interrupted", "at_s": 1.0}}
Conduct = Callable[..., int]


@pytest.fixture
def conducted(stand_in: Path, monkeypatch: pytest.MonkeyPatch) -> Conduct:
    """Runs a study with one level for each list of faults."""
    monkeypatch.setenv(AGENT_VARIABLE, str(stand_in))

    def run(*levels: list[Any], strict: bool = False) -> int:
        study = Study(
            name="faults",
            plan=SweepPlan(1),
            job={"workload": "model", "load": {"closed": {"users": 1}}, "phases": {"measure_s": 1.0}},
            tests=[StudyTest(name=f"T{place}", job={"faults": each}) for place, each in enumerate(levels)],
        )
        store = str(stand_in.parent / "runs")
        return conduct(study, store=store, report=None, as_json=False, quiet=True, strict=strict)

    return run


def unwrapped(capsys: pytest.CaptureFixture[str]) -> str:
    """What was printed, as one line. Faults are an axis other than load: each makes a system of its own."""
    return " ".join(capsys.readouterr().out.split())


def test_a_run_whose_load_failed_at_one_level_says_where_and_why(
    conducted: Conduct, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(IgenError, match="the load failed: 50 % of the transactions failed") as caught:
        conducted(GOOD, USELESS)
    assert caught.value.exit_code == 1
    assert "1 user" in caught.value.where
    assert "igen show" in caught.value.hint
    assert {"1 level, INVALID", "1 level, ONE RUN"} <= set(
        re.findall("1 level, [A-Z ]+[A-Z]", unwrapped(capsys))
    )


def test_a_disturbed_machine_is_told_and_is_no_failure(
    conducted: Conduct, capsys: pytest.CaptureFixture[str]
) -> None:
    assert conducted(DISTURBED, [*DISTURBED, "hello"]) == 0
    printed = capsys.readouterr()
    assert " ".join(printed.out.split()).count("1 level, INVALID") == 2
    assert "igen: warning: no level is valid" in printed.err
    assert "took 50 % of the CPU (steal)" in printed.out


def test_strict_makes_a_run_without_a_valid_level_an_error(conducted: Conduct) -> None:
    with pytest.raises(IgenError, match=r"no level is valid: .*took 50") as caught:
        conducted(DISTURBED, strict=True)
    assert caught.value.exit_code == 1
    assert "igen show" in caught.value.hint


def test_strict_leaves_a_run_with_a_valid_level_alone(
    conducted: Conduct, capsys: pytest.CaptureFixture[str]
) -> None:
    assert conducted(DISTURBED, GOOD, strict=True) == 0
    assert "no level is valid" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("last", "said", "shown"),
    [
        (["hello", "interrupt", "until interrupted", STOPPED, {"exit": 130}], "before anything was", False),
        (
            [*GOOD[:-1], "interrupt", "until interrupted", STOPPED, {"exit": 130}],
            "results so far are kept",
            True,
        ),
        (["deaf", *GOOD[:-1], "interrupt", "interrupt", "hang"], "results so far are kept", True),
        (["hello", MEASURE, "interrupt", "until interrupted", STOPPED, {"exit": 130}], "before any", False),
    ],
)
def test_an_interrupt_tells_whether_something_was_measured(
    conducted: Conduct, last: list[Any], said: str, shown: bool
) -> None:
    with pytest.raises(Interrupted) as caught:
        conducted(last)
    assert caught.value.exit_code == 130
    assert said in caught.value.text
    assert ("igen show" in caught.value.hint) == shown


def test_an_interrupt_after_a_failure_is_an_interrupt_that_tells_the_failure(conducted: Conduct) -> None:
    with pytest.raises(Interrupted) as caught:
        conducted([*GOOD[:-1], "killed"], ["hello", "interrupt", "until interrupted", STOPPED, {"exit": 130}])
    assert "results so far are kept" in caught.value.text
    assert "killed by SIGKILL" in caught.value.text


def test_a_second_interrupt_does_not_spoil_the_repeats_before(
    conducted: Conduct, stand_in: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(Interrupted):
        conducted(GOOD, ["deaf", "hello", "interrupt", "interrupt", "hang"])
    assert [row.state for row in Store(stand_in.parent / "runs").list_runs()] == ["interrupted"]
    assert "the agent died" not in capsys.readouterr().out
