"""A period of the throughput: what counts of it, and that the rest after the last whole one is told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from igen.judge import analyse
from igen.judge.record.recording import Recording, recording_from_events
from igen.judge.result import Level
from igen.judge.run.measured import measure
from igen.judge.trust.disturbance import Periods
from tests.judge.synthetic import events, recording
from tests.judge.test_personas import of_both, orders_for, together
from tests.said import rules

AUTO = {"phases": {"extendable": True, "measure_s": 50.0, "interval_s": 1.0}}
GIVEN = {"phases": {"extendable": False, "measure_s": 50.0, "interval_s": 1.0}}
PERIOD = [1000] * 6 + [500] * 2
OF_WHOLE_PERIODS, OF_ALL = 875.0, (48 * 875 + 2 * 1000) / 50


def periodic(job: dict[str, Any], repeat: int = 0, seconds: int = 50) -> Recording:
    """Six periods of 8 s, and 2 s of the next."""
    noise = np.random.default_rng(repeat).standard_normal(seconds).round().astype(int)
    counts = np.resize(PERIOD, seconds) + noise
    return recording(counts.tolist(), repeat=repeat, job=job)


def level_of(job: dict[str, Any]) -> Level:
    """The whole way."""
    made = [periodic(job, repeat) for repeat in range(5)]
    (system,) = analyse(recording_from_events(events(each), each.job_file) for each in made)
    (level,) = system.levels
    return level


def check(periods: Periods | None, *, rest_counts: bool, other_throughput_per_s: float) -> None:
    assert periods is not None
    assert (periods.period_s, periods.rest_s, periods.rest_counts) == (8.0, 2.0, rest_counts)
    assert periods.other_throughput_per_s == pytest.approx(other_throughput_per_s, rel=1e-3)


def test_of_a_warm_up_that_was_given_not_even_the_rest_of_a_period_is_cut() -> None:
    level = level_of(GIVEN)
    assert level.trust.verdict == "VALID", rules(level)
    assert level.throughput_per_s.value == pytest.approx(OF_ALL, rel=1e-3)
    assert {run.measured_s for run in level.repeats} == {50.0}
    check(level.periods, rest_counts=True, other_throughput_per_s=OF_WHOLE_PERIODS)
    (note,) = level.findings
    assert note.rule == "whole-periods"
    figures = {part.name: part.figure for part in note.parts}
    change_percent = 100 * (OF_WHOLE_PERIODS / OF_ALL - 1)
    assert figures == {"period_s": 8, "change_percent": pytest.approx(change_percent, abs=0.1)}


def test_where_the_judge_chooses_whole_periods_count_and_what_is_left_out_is_told() -> None:
    level = level_of(AUTO)
    assert level.trust.verdict == "VALID", rules(level)
    assert level.throughput_per_s.value == pytest.approx(OF_WHOLE_PERIODS, rel=1e-3)
    assert {(run.measured_s, run.cut_s) for run in level.repeats} == {(48.0, 0.0)}
    check(level.periods, rest_counts=False, other_throughput_per_s=OF_ALL)
    (note,) = level.findings
    assert note.rule == "whole-periods"
    figures = {part.name: part.figure for part in note.parts}
    change_percent = pytest.approx(100 * (OF_ALL / OF_WHOLE_PERIODS - 1), abs=0.1)
    assert figures == {"period_s": 8, "left_out_s": 2, "change_percent": change_percent}


def test_the_end_is_no_part_of_what_a_cut_in_front_changed() -> None:
    run = measure(periodic(AUTO))
    assert run.cut_s == 0
    assert run.uncut_throughput_per_s == run.throughput_per_s


def test_whole_periods_leave_nothing_to_tell() -> None:
    for job in (AUTO, GIVEN):
        run = measure(periodic(job, seconds=48))
        assert (run.period_s, run.rest) == (8.0, [])
        assert run.other_throughput_per_s == run.throughput_per_s


def test_a_throughput_without_a_period_has_none() -> None:
    (system,) = analyse([recording(job=GIVEN)])
    assert system.levels[0].periods is None
    assert [each.rule for each in system.levels[0].findings] == ["one-run"]


@pytest.mark.parametrize(("job", "measured_s"), [(AUTO, 48.0), (GIVEN, 50.0)])
def test_the_same_intervals_count_for_each_of_several_loads(job: dict[str, Any], measured_s: float) -> None:
    alone = periodic(job).snapshots
    run = measure(of_both([together(each, orders_for(i)) for i, each in enumerate(alone)], job=job))
    assert run.period_s == 8.0
    assert [part.measured_s for part in (run, *run.loads.values())] == [measured_s] * 3
