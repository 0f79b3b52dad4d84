"""What disturbed a level is told with the number of the runs that it was found in."""

from __future__ import annotations

import pytest

from igen.judge.result import Level
from tests.judge.hosts import on_host
from tests.judge.synthetic import one_system, recording


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
    (reason,) = level.reasons
    assert reason.endswith(f"(others used 15.0 % of all processors: backup 15.0 %, in {runs} of 5 runs)")
    (cause,) = level.disturbance.causes
    assert cause.text.endswith(f", in {runs} of 5 runs")


def test_of_a_single_run_there_is_no_number() -> None:
    (reason,) = level_of([0.3]).reasons[:1]
    assert " runs" not in reason


@pytest.mark.parametrize(("busy", "verdict"), [(0.4, "VALID"), (1.0, "SUSPECT")])
def test_a_machine_that_others_use_half_of_is_not_the_loads_own(busy: float, verdict: str) -> None:
    """A load that waits for nothing but time loses nothing to them."""
    made = [
        on_host(recording(users=2, repeat=repeat), own=0.1, foreign={"backup": busy}) for repeat in range(5)
    ]
    (level,) = one_system(made).levels
    assert (level.verdict, level.disturbance.causes) == (verdict, [])
    others = "others used 50.0 % of all processors: backup 50.0 %"
    shared = f"the machine was not the load's own (limit 25 %): {others}"
    assert level.reasons == [shared] * (verdict == "SUSPECT")


def test_what_others_used_is_told_once() -> None:
    (reason,) = level_of([1.0] * 5).reasons
    assert reason.startswith("disturbed: machine 0 to +100 % on throughput")
