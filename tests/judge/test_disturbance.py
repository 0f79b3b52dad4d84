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
