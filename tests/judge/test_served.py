"""What became of an offered rate: a difference of two systems only if nothing but the system can be why."""

from __future__ import annotations

from typing import Any

import pytest

from igen.judge.record.form import Arrivals
from igen.judge.record.recording import Recording
from igen.judge.result import Level, Served
from igen.judge.trust.validity import load_failures
from tests.judge.hosts import on_host
from tests.judge.synthetic import one_system, recording, snapshot, statistics
from tests.judge.test_claims import open_load, two
from tests.judge.test_personas import usual
from tests.said import observed

TIMES_MS = [4.0, 4.1, 3.9, 4.0, 4.05]
BESIDE = {"targets": ["postgresql://db.example/shop"]}
HELD = "holds-rate"


def a(*shares: float, **rest: Any) -> list[Recording]:
    """Runs of A, of each of which so much was served."""
    made = [open_load(400, [4.0], done=share, system="A", run="A", **rest) for share in shares]
    for repeat, (run,) in enumerate(made):
        run.repeat = repeat
    return [run for (run,) in made]


def b(runs: int = 5) -> list[Recording]:
    return open_load(400, TIMES_MS[:runs], system="B", run="B")


def level_of(runs: list[Recording]) -> Level:
    (level,) = one_system(runs).levels
    return level


def test_what_every_run_of_one_and_no_run_of_the_other_held_is_a_difference() -> None:
    assert (level_of(b()).trust.served, level_of(a(*[0.9] * 5)).trust.served) == ("held", "overloaded")
    (found,) = (each for each in two(a(*[0.9] * 5), b()).observations if each.rule == HELD)
    assert [found.part(name).text for name in ("system", "base", "load")] == ["B", "A", "400/s"]
    assert HELD in observed(two(a(*[0.9] * 3), b(3)))
    assert HELD not in observed(two(a(*[0.9] * 2), b(2))), "two runs of equal systems do so in one of 8"


def test_runs_of_which_some_hold_it_tell_nothing() -> None:
    runs = a(0.9, 1.0, 0.9, 0.9, 0.9)
    assert level_of(runs).trust.verdict == "INVALID"
    assert level_of(runs).trust.served == "cannot tell"
    assert HELD not in observed(two(runs, b()))


@pytest.mark.parametrize(
    ("taken", "served"), [(0.5, "cannot tell"), (0.2, "cannot tell"), (0.1, "overloaded")]
)
def test_what_others_took_may_be_why(taken: float, served: Served) -> None:
    """A tenth is missing; with what others took A would do 33, 11 and 5 % more."""
    runs = [
        on_host(run, own=2 - taken, waiting=2 * taken, foreign={"backup": taken}) for run in a(*[0.9] * 5)
    ]
    level = level_of(runs)
    assert level.trust.verdict == "INVALID"
    assert level.trust.served == served
    assert (HELD in observed(two(runs, b()))) == (served == "overloaded")


def test_a_disturbed_run_that_missed_its_rate_says_that_not_every_run_held_it() -> None:
    """It makes the level INVALID, which was said to have held its rate in every run."""
    *quiet, disturbed = a(1.0, 1.0, 1.0, 1.0, 0.6)
    runs = [*(on_host(run, own=1.0) for run in quiet)]
    runs.append(on_host(disturbed, own=1.0, waiting=2.0, foreign={"backup": 1.0}))
    level = level_of(runs)
    assert all(repeat.used for repeat in level.repeats)
    assert (level.trust.verdict, level.trust.served) == ("INVALID", "cannot tell")
    assert level_of(runs[:-1]).trust.served == "held"


def test_what_others_took_is_priced_up_to_what_is_missing() -> None:
    def throughput_percent(share: float) -> float:
        runs = [on_host(run, own=1.0, waiting=1.0, foreign={"backup": 1.0}) for run in a(*[share] * 3)]
        return level_of(runs).trust.disturbance.throughput.high_percent

    assert throughput_percent(0.9) == pytest.approx(100 / 9)
    assert throughput_percent(1.0) == 0


def test_a_driver_that_is_too_busy_may_be_why() -> None:
    runs = [on_host(run, own=1.9) for run in a(*[0.9] * 5, job=BESIDE)]
    level = level_of(runs)
    assert load_failures(level)
    assert level.trust.served == "driver failed"
    assert HELD not in observed(two(runs, b()))


def test_few_arrivals_by_chance_and_few_errors_are_no_rate_that_was_missed() -> None:
    """2 % fewer came than the rate says, all were answered, and 0.2 % of the answers were errors."""
    arrivals = Arrivals(due=392, started=392, unsent=0, backlog=0)
    runs = [
        recording(
            snapshots=[
                snapshot(second, statistics(391, 4.0, failed=1), arrivals=arrivals, users=50)
                for second in range(10)
            ],
            load={"open": {"rate_per_s": 400.0, "users": 50, "arrivals": "poisson"}},
            repeat=repeat,
            system="A",
            run="A",
        )
        for repeat in range(5)
    ]
    level = level_of(runs)
    assert level.trust.verdict == "INVALID"
    assert level.trust.served == "cannot tell", "the load itself failed"
    assert HELD not in observed(two(runs, b()))


def test_a_closed_load_has_no_rate() -> None:
    assert level_of([recording(repeat=repeat) for repeat in range(3)]).trust.served is None


def test_each_of_several_loads_holds_its_own() -> None:
    level = level_of([usual(repeat) for repeat in range(3)])
    assert (level.trust.served, level.loads["orders"].trust.served) == (None, "held")
    assert level.loads["clerks"].trust.served is None
