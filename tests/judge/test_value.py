"""The median of the last fifth, and one ratio for each test."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from igen.judge import analyse, result_of
from igen.judge.record.value import LAST_FIFTH
from igen.judge.run.measured import measure
from tests.judge.synthetic import recording
from tests.judge.tested import runs, study_with_tests


def test_only_the_last_fifth_counts_and_of_it_the_median() -> None:
    run = measure(recording([5000] * 24 + [100, 110, 120, 130, 900, 115]), LAST_FIFTH)
    assert run.throughput_per_s == pytest.approx(117.5)
    assert (run.cut_s, run.measured_s) == (24, 6)
    assert run.transactions.count == 100 + 110 + 120 + 130 + 900 + 115
    assert run.is_flat


def test_a_look_that_came_late_is_counted_with_the_next() -> None:
    late = [replace(each) for each in recording([100] * 10).snapshots]
    late[8] = replace(late[8], end_s=late[8].start_s + 0.01)
    late[9] = replace(late[9], start_s=late[8].end_s)
    run = measure(recording(snapshots=late, job={"phases": {"interval_s": 1.0}}), LAST_FIFTH)
    assert run.throughput_per_s == pytest.approx(100)


def test_a_last_fifth_that_still_rises_is_not_flat() -> None:
    assert not measure(recording([100] * 80 + [100 + 5 * i for i in range(20)]), LAST_FIFTH).is_flat


@given(st.lists(st.integers(1, 10**6), max_size=60))
def test_there_is_always_something_left_to_count(counts: list[int]) -> None:
    run = measure(recording(counts), LAST_FIFTH)
    assert run.intervals or not counts
    assert run.intervals == run.recording.measure[-len(run.intervals) :] or not counts


def test_each_system_is_compared_within_its_test() -> None:
    found = study_with_tests({"R1": 1.0, "R2": 0.5})
    assert [system.name for system in found.systems] == ["A R1", "B R1", "A R2", "B R2"]
    assert {(ratio.system, ratio.base) for ratio in found.ratios} == {("B R1", "A R1"), ("B R2", "A R2")}
    first, second = found.overall
    assert (first.test, first.title, first.system, first.base, first.loads) == ("R1", "reads", "B", "A", 2)
    assert first.answer == "equivalent"
    assert second.ratio.value == pytest.approx(0.5, rel=1e-3)
    assert (second.answer, second.ratio.n) == ("slower", 3)
    assert (first.published, second.published) == ({}, {"P": 0.67})
    assert {system.value for system in found.systems} == {LAST_FIFTH}
    assert all(system.peak is None for system in found.systems)


def test_a_study_without_tests_has_one_of_each_pair_with_several_loads() -> None:
    found = result_of(analyse(runs({"": 0.5}, tests=("",))))
    assert len([each for each in found.ratios if each.decides]) == 2
    (overall,) = found.overall
    assert (overall.test, overall.system, overall.base, overall.loads) == ("", "B", "A", 2)
    assert overall.answer == "slower"


def test_levels_that_are_invalid_have_no_part_in_it() -> None:
    made = runs({"R1": 0.5, "R2": 0.5})
    for each in made:
        if each.test == "R1" and each.users == 2:
            each.outcome = "failed"
    assert [each.loads for each in result_of(analyse(made)).overall] == [1, 2]
    for each in made:
        each.outcome = "failed"
    assert result_of(analyse(made)).overall == []
