"""Length of a measurement if none is given: limited by a budget, and enough for the transactions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

from igen.judge.trust.rules.steady import LEAST_INTERVALS
from igen.study.levels import INTERVAL_LEAST_S, length_s, measure_within
from igen.study.study import Study

BUDGET_S = 30.0
"""Time budget of a run of short transactions."""
RESERVED = 0.2
"""Share of the budget for extended measurements and replaced repeats."""
PLANNED_S = (1 - RESERVED) * BUDGET_S
"""Remaining share of the budget."""
USUAL_S = 2.0
"""Enough for short transactions, if the budget has more."""
LEAST_S = round(LEAST_INTERVALS.value * INTERVAL_LEAST_S, 1)
"""Least number of intervals: with fewer the judge cannot decide if a level was steady."""
STEPS_S = (LEAST_S, *(factor * 10.0**power for power in range(5) for factor in (1, 2, 3, 5)))
"""Lengths of measurements: runs of different lengths would differ in a setting."""
OVERHEAD_STEP_S = 0.5
"""The overhead that a pilot measured is rounded up to a multiple of it, for the same reason."""
ENOUGH, LEAST = 50, 10
"""Transactions of a measurement: more are not worth a longer run, with fewer one transaction is 10 %."""


@dataclass(frozen=True, slots=True)
class Pilot:
    """Results of a short execution of the first level."""

    transaction_s: float = 0.0
    """Mean time of a transaction."""
    between_s: float = 0.0
    """Mean time from one transaction of the whole load to the next."""
    overhead_s: float = 0.0
    """Time of an execution without its load."""


def measure_s(executions: int, pilot: Pilot, warmup_s: float | None = None) -> float:
    """Return the length of each measurement, one of `STEPS_S`: another run of the same kind has the same.

    All executions together end within the budget, unless that would leave a measurement fewer transactions
    or intervals than the least. `warmup_s` is the warm-up that was asked for.
    """
    room_s = PLANNED_S / executions - _rounded_up_s(pilot.overhead_s)
    least_s = max(LEAST_S, LEAST * pilot.between_s, pilot.transaction_s)
    wanted_s = max(USUAL_S, ENOUGH * pilot.between_s, pilot.transaction_s)
    within_s = min(wanted_s, measure_within(room_s, warmup_s))
    steps_s = [step_s for step_s in STEPS_S if step_s >= least_s] or [STEPS_S[-1]]
    return max((step_s for step_s in steps_s if step_s <= within_s), default=steps_s[0])


def _rounded_up_s(overhead_s: float) -> float:
    return OVERHEAD_STEP_S * ceil(overhead_s / OVERHEAD_STEP_S)


def total_s(executions: int, measured_s: float, pilot: Pilot, warmup_s: float | None = None) -> float:
    """Return how long all executions take, if none is extended or replaced."""
    return executions * (length_s(measured_s, warmup_s) + pilot.overhead_s)


def between_s(load: Mapping[str, Any], transaction_s: float) -> float:
    """Return the mean time between two transactions of a load whose transactions take so long alone."""
    ((model, fields),) = load.items()
    users = fields.get("users") or 1
    match model:
        case "open":
            return 1 / float(fields["rate_per_s"])
        case "paced":
            return max(1 / float(fields["rate_per_user_per_s"]), transaction_s) / float(users)
    return (_mean_s(fields.get("think_time_s") or 0.0) + transaction_s) / float(users)


def _mean_s(think_time_s: float | Mapping[str, Any]) -> float:
    """Return the mean of a think time, which may be drawn."""
    match think_time_s:
        case {"uniform": [low, high]}:
            return float(low + high) / 2
        case {"exponential": mean}:
            return float(mean)
        case int() | float():
            return float(think_time_s)
    return 0.0


def is_sized(study: Study) -> bool:
    """True if the study says how long it measures."""
    jobs = [study.job, *(each.job for each in study.systems), *(each.job for each in study.tests)]
    return "phases.measure_s" in study.axes or any("measure_s" in job.get("phases", {}) for job in jobs)
