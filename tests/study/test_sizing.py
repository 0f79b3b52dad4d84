"""Lengths of measurements, by tables and properties."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from igen.judge.trust.rules.curve import MOST_RUNS
from igen.judge.trust.rules.steady import LEAST_INTERVALS
from igen.study.levels import INTERVAL_LEAST_S, length_s, measure_within
from igen.study.plan import DEFAULT_REPEATS
from igen.study.plans import SEARCHED, PeakPlan, SweepPlan
from igen.study.sizing import (
    BUDGET_S,
    ENOUGH,
    LEAST,
    LEAST_S,
    STEPS_S,
    USUAL_S,
    Pilot,
    between_s,
    measure_s,
    total_s,
)

SHORT = Pilot(transaction_s=0.025, between_s=0.025, overhead_s=0.35)
"""A program that takes 25 ms."""


@pytest.mark.parametrize(
    ("executions", "transaction_s", "measured_s"),
    [
        (5, 1e-6, USUAL_S),
        (5, 0.025, USUAL_S),
        (5, 0.1, 3.0),
        (10, 0.025, 1.0),
        (15, 0.025, LEAST_S),
        (5, 1.0, LEAST * 1.0),
        (5, 60.0, 1000.0),
    ],
)
def test_lengths(executions: int, transaction_s: float, measured_s: float) -> None:
    pilot = Pilot(transaction_s=transaction_s, between_s=transaction_s, overhead_s=0.35)
    assert measure_s(executions, pilot) == measured_s


@given(
    executions=st.integers(1, 10_000),
    transaction_s=st.floats(1e-9, 100.0),
    users=st.integers(1, 1000),
    overhead_s=st.floats(0.0, 5.0),
    warmup_s=st.none() | st.floats(0.0, 60.0),
)
def test_a_run_ends_within_its_budget_unless_its_measurements_are_the_least(
    executions: int, transaction_s: float, users: int, overhead_s: float, warmup_s: float | None
) -> None:
    pilot = Pilot(transaction_s, transaction_s / users, overhead_s)
    length = measure_s(executions, pilot, warmup_s)
    least_s = max(LEAST_S, LEAST * pilot.between_s, transaction_s)
    assert length in STEPS_S
    assert length >= least_s
    shorter = [step for step in STEPS_S if least_s <= step < length]
    assert not shorter or total_s(executions, length, pilot, warmup_s) <= BUDGET_S
    assert not shorter or length <= max(USUAL_S, ENOUGH * pilot.between_s, transaction_s)


@given(executions=st.integers(1, 1000), more=st.integers(1, 1000), transaction_s=st.floats(1e-6, 10.0))
def test_more_executions_are_never_longer_ones(executions: int, more: int, transaction_s: float) -> None:
    pilot = Pilot(transaction_s, transaction_s, 0.3)
    assert measure_s(executions + more, pilot) <= measure_s(executions, pilot)


@given(overhead_s=st.floats(0.01, 0.49))
def test_what_a_pilot_sees_of_overhead_does_not_make_another_length(overhead_s: float) -> None:
    pilot = Pilot(0.001, 0.001, overhead_s)
    lengths = [measure_s(executions, pilot) for executions in (5, 10, 15, 20)]
    assert lengths == [measure_s(executions, Pilot(0.001, 0.001, 0.5)) for executions in (5, 10, 15, 20)]


@given(
    transaction_s=st.floats(1e-6, 100.0),
    overhead_s=st.floats(0.0, 5.0),
    warmup_s=st.none() | st.floats(0.0, 60.0),
)
def test_a_search_has_time_for_its_executions(
    transaction_s: float, overhead_s: float, warmup_s: float | None
) -> None:
    pilot = Pilot(transaction_s, transaction_s, overhead_s)
    length = measure_s(SEARCHED, pilot, warmup_s)
    planned_s = total_s(SEARCHED, length, pilot, warmup_s)
    assert (PeakPlan().within(planned_s).within_s or 0) >= planned_s
    assert (PeakPlan().within(total_s(SEARCHED, LEAST_S, SHORT)).within_s or 0) <= BUDGET_S
    assert PeakPlan(7.0).within(planned_s) == PeakPlan(7.0), "a limit that was asked for stays"


@given(room_s=st.floats(0.3, 1000.0), warmup_s=st.none() | st.floats(0.0, 0.3))
def test_what_fits_into_a_time_takes_that_time_or_less(room_s: float, warmup_s: float | None) -> None:
    within_s = measure_within(room_s, warmup_s)
    assert within_s <= 0 or length_s(within_s, warmup_s) <= room_s * (1 + 1e-9)


def test_the_least_has_as_many_intervals_as_the_judge_needs() -> None:
    assert pytest.approx(LEAST_INTERVALS.value) == LEAST_S / INTERVAL_LEAST_S


def test_five_repeats_of_a_short_program_end_within_a_third_of_a_minute() -> None:
    assert total_s(DEFAULT_REPEATS, measure_s(DEFAULT_REPEATS, SHORT), SHORT) < 20


@pytest.mark.parametrize(
    ("plan", "executions"),
    [
        (SweepPlan(3), 12),
        (SweepPlan(), 4 * DEFAULT_REPEATS),
        (SweepPlan("auto"), 4 * MOST_RUNS.value),
        (SweepPlan("decided"), 4 * DEFAULT_REPEATS),
        (PeakPlan(), SEARCHED),
    ],
)
def test_executions_of_four_levels(plan: SweepPlan | PeakPlan, executions: int) -> None:
    assert plan.executions(4) == executions


@pytest.mark.parametrize(
    ("load", "seconds"),
    [
        ({"closed": {"users": 4, "think_time_s": 0.0}}, 0.5),
        ({"closed": {"users": 4, "think_time_s": 6.0}}, 2.0),
        ({"closed": {"users": 2, "think_time_s": {"uniform": [1.0, 3.0]}}}, 2.0),
        ({"closed": {"users": 2, "think_time_s": {"exponential": 4.0}}}, 3.0),
        ({"paced": {"users": 2, "rate_per_user_per_s": 0.25}}, 2.0),
        ({"paced": {"users": 2, "rate_per_user_per_s": 100.0}}, 1.0),
        ({"open": {"rate_per_s": 10.0}}, 0.1),
    ],
)
def test_time_between_transactions_of_2_s(load: dict[str, Any], seconds: float) -> None:
    assert between_s(load, 2.0) == pytest.approx(seconds)
