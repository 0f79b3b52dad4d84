"""What disturbed a level is told with the number of the runs that it was found in."""

from __future__ import annotations

import pytest

from igen.judge.result import Level
from igen.judge.trust.finding import Finding, Runs
from tests.judge.hosts import on_host
from tests.judge.synthetic import one_system, recording
from tests.judge.test_price import of_thinking_users
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
    (found,) = level.findings
    (why,) = found.because
    (cause,) = level.trust.disturbance.causes
    assert why == cause.finding
    assert (why.rule, why.runs) == ("processors-lost", Runs(number=runs, of=5))
    assert why.figure("lost_s") == pytest.approx(3, rel=0.01)
    (foreign,) = why.because
    assert foreign.figure("used_percent") == pytest.approx(15)
    assert programs(foreign) == {"backup": pytest.approx(15)}


@pytest.mark.parametrize(
    ("waiting", "verdict"),
    [
        ([0.02] * 5, "VALID"),
        ([0.0] * 4 + [0.08], "VALID"),
        ([0.0] * 4 + [0.3], "SUSPECT"),
        ([0.3] * 5, "SUSPECT"),
    ],
)
def test_the_bound_of_a_level_is_the_mean_of_those_of_its_runs(waiting: list[float], verdict: str) -> None:
    """One percent of the level's figure is allowed: all runs 0.9 %, or 4 % in one of five."""
    level = level_of(waiting)
    each = [100 * max(lost - 0.002, 0) / (2 - lost) for lost in waiting]
    assert level.trust.disturbance.throughput.high_percent == pytest.approx(sum(each) / 5, abs=0.05)
    assert level.trust.verdict == verdict, each


def test_of_a_single_run_there_is_no_number() -> None:
    found = next(each for each in level_of([0.3]).findings if each.rule == "disturbed")
    assert [each.runs for each in (found, *found.because)] == [None, None]


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


@pytest.mark.parametrize("waiting", [0.0, 0.01, 0.1])
def test_a_bound_of_the_times_makes_no_throughput_better(waiting: float) -> None:
    """Users who think lose 0.4 % of their throughput at most, and others have half of the machine."""
    made = [
        on_host(
            of_thinking_users(20, 1.88, 11, 0.008, repeat=repeat),
            own=0.08,
            waiting=waiting,
            foreign={"backup": 1.0},
        )
        for repeat in range(3)
    ]
    (level,) = one_system(made).levels
    assert level.trust.disturbance.throughput.high_percent < 1
    assert (level.trust.throughput, level.trust.verdict) == ("SUSPECT", "SUSPECT")
    assert "shared-machine" in rules(level)
    assert ("disturbed" in rules(level) or "disturbed-beyond-use" in rules(level)) == (waiting > 0)
