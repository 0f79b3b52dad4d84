"""What disturbed a level is told with the number of the runs that it was found in."""

from __future__ import annotations

import pytest

from igen.judge.result import Level
from igen.judge.trust.finding import Finding, Runs
from tests.judge.hosts import on_host
from tests.judge.synthetic import one_system, recording
from tests.said import rules


def programs(foreign: Finding) -> dict[str, float | None]:
    """Return what each program used, in percent."""
    return {part.text: part.figure for part in foreign.parts if part.name == "program_percent"}


def level_of(waiting: list[float]) -> Level:
    """A run for each of these seconds a second in which a backup ran and the load waited for it."""
    made = [
        on_host(recording(users=2, repeat=repeat), own=2 - each, waiting=each, foreign={"backup": each})
        for repeat, each in enumerate(waiting)
    ]
    (level,) = one_system(made).levels
    return level


@pytest.mark.parametrize("runs", [1, 3, 5])
def test_the_words_of_the_worst_run_come_with_how_many_were_disturbed(runs: int) -> None:
    level = level_of([0.0] * (5 - runs) + [0.3] * runs)
    (reason,) = level.findings
    (why,) = reason.because
    (cause,) = level.trust.disturbance.causes
    assert why == cause.finding
    assert (why.rule, why.runs) == ("foreign-cpu", Runs(number=runs, of=5))
    assert why.figure("used_percent") == pytest.approx(15)
    assert programs(why) == {"backup": pytest.approx(15)}


def test_of_a_single_run_there_is_no_number() -> None:
    reason = level_of([0.3]).findings[0]
    assert [each.runs for each in (reason, *reason.because)] == [None, None]


@pytest.mark.parametrize(("busy", "verdict"), [(0.4, "VALID"), (1.0, "SUSPECT")])
def test_a_machine_that_others_use_half_of_is_not_the_loads_own(busy: float, verdict: str) -> None:
    """A load that waits for nothing but time loses nothing to them."""
    made = [
        on_host(recording(users=2, repeat=repeat), own=0.1, foreign={"backup": busy}) for repeat in range(5)
    ]
    (level,) = one_system(made).levels
    assert (level.trust.verdict, level.trust.disturbance.causes) == (verdict, [])
    assert rules(level) == ["shared-machine"] * (verdict == "SUSPECT")
    for reason in level.findings:
        (why,) = reason.because
        assert (reason.limit, why.rule, why.figure("used_percent")) == (25, "foreign-cpu", pytest.approx(50))
        assert programs(why) == {"backup": pytest.approx(50)}


def test_what_others_used_is_told_once() -> None:
    (reason,) = level_of([1.0] * 5).findings
    assert reason.rule.startswith("disturbed")
    assert reason.figure("throughput_low_percent") == 0
    assert reason.figure("throughput_high_percent") == pytest.approx(100, rel=0.01)
