"""Each reading tells only the programs that used most until then, and the sum over all."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from igen.judge.record.recording import Reading, Recording
from igen.judge.run.resources import Host
from tests.judge.synthetic import recording

START_S, END_S = 10.0, 60.0
MOST = 5


def told(used_s: dict[float, dict[str, float]]) -> Recording:
    """Sums by time and program."""
    made = recording()
    for at_s, programs in used_s.items():
        for program, used in programs.items():
            place = made.readings.setdefault(("short_lived", program), [])
            place.append(Reading(at_s, {"used_s": used}, {}))
    return made


def busy(made: Recording) -> dict[str, float]:
    """Seconds of each program between start and end."""
    found = Host(made, START_S, END_S).short_lived()
    return {subject.removeprefix("- short-lived "): share * (END_S - START_S) for subject, share in found}


def test_use_is_spread_over_the_whole_time_and_not_over_that_in_which_it_was_told() -> None:
    made = told(
        {
            10.0: {"all": 5.0, "early": 5.0},
            11.0: {"all": 6.0, "early": 6.0},
            60.0: {"all": 13.0, "late": 7.0},
        }
    )
    assert busy(made) == {"early": pytest.approx(1.0), "late": pytest.approx(7.0)}


@pytest.mark.parametrize(("all_s", "late_s"), [(9.0, 7.0), (9.5, 6.5), (30.0, 3.0)])
def test_what_a_program_used_before_it_was_told_is_not_charged(all_s: float, late_s: float) -> None:
    """At the start it had no more than the least of those told, nor than these leave of the sum."""
    made = told(
        {10.0: {"all": all_s, "first": 5.0, "second": 4.0}, 60.0: {"all": 50.0, "first": 5.0, "late": 7.0}}
    )
    assert busy(made) == {"late": pytest.approx(late_s)}


def test_nothing_is_charged_where_the_sums_do_not_span_the_time() -> None:
    assert busy(told({50.0: {"all": 5.0, "date": 5.0}, 60.0: {"all": 9.0, "date": 9.0}})) == {}
    assert busy(recording()) == {}


@given(st.lists(st.lists(st.integers(0, 9), min_size=7, max_size=7), min_size=3, max_size=3))
def test_no_program_is_charged_more_than_it_used(steps: Sequence[Sequence[int]]) -> None:
    """And so all together no more than the sum over all."""
    sums = [0.0] * 7
    by_time: dict[float, dict[str, float]] = {}
    for at_s, used in zip((START_S, 35.0, END_S), steps, strict=True):
        sums = [before + more for before, more in zip(sums, used, strict=True)]
        most = sorted(range(7), key=lambda program: -sums[program])[:MOST]
        by_time[at_s] = {"all": sum(sums), **{f"p{program}": sums[program] for program in most}}
    for program, used in busy(told(by_time)).items():
        place = int(program[1:])
        assert used <= sum(step[place] for step in steps[1:]) + 1e-9
