"""The quantities that a level is asked for: throughput, mean, p99 and p99.9 of the response time, by run."""

from __future__ import annotations

from collections.abc import Callable

from igen.judge.curve.points import used_runs
from igen.judge.figure.pairs import RunFigure
from igen.judge.result import Level, Repeat
from igen.judge.trust.disturbance import Disturbance
from igen.judge.trust.rules.comparison import FEWEST_OF_P999
from igen.judge.trust.rules.curve import ALWAYS_BUSY
from igen.loads import MEAN, P99, P999, THROUGHPUT, Quantity
from igen.units import MS_PER_S


def bounds_of(base: Level, level: Level, quantity: Quantity) -> tuple[float, float]:
    """How far the undisturbed ln ratio may lie below and above the measured one."""
    return bounds_between(base.trust.disturbance, level.trust.disturbance, quantity)


def bounds_between(base: Disturbance, system: Disturbance, quantity: Quantity) -> tuple[float, float]:
    """The same of two systems that were disturbed so much."""
    of_base, of_level = (each.throughput if quantity == THROUGHPUT else each.times for each in (base, system))
    return of_level.logs_over(of_base)


def speed_bounds(base: Level, level: Level, quantity: Quantity) -> tuple[float, float]:
    """How far ln of the ratio may lie below and above the measured one because the machine had another speed.

    Of two runs measured one after the other, if nobody knows how the figures follow the speed: not at all, or
    one to one.
    """
    change = _unexplained(level) - _unexplained(base)
    if quantity != THROUGHPUT:
        change = -change
    return min(-change, 0.0), max(-change, 0.0)


def _unexplained(level: Level) -> float:
    runs = used_runs(level)
    return sum(run.correction.unexplained for run in runs) / len(runs) if runs else 0.0


def figures(level: Level, quantity: Quantity) -> dict[int, RunFigure]:
    """The figure of each run that counts, by its repeat; without runs that have none."""
    read: Callable[[Repeat], float | None] = {
        THROUGHPUT: lambda run: run.throughput_per_s,
        MEAN: lambda run: run.response_time_ms.mean if run.response_time_ms else None,
        P99: lambda run: run.response_time_ms.p99 if run.response_time_ms else None,
        P999: lambda run: run.response_time_ms.p999 if run.response_time_ms and _has_p999(run) else None,
    }[quantity]
    found = {run.repeat: (read(run), run.order) for run in used_runs(level)}
    return {repeat: RunFigure(value, order) for repeat, (value, order) in found.items() if value}


def _has_p999(run: Repeat) -> bool:
    """True if the 99.9th percentile of a run is not its maximum."""
    return run.throughput_per_s * run.measured_s >= FEWEST_OF_P999.value


def never_wait(level: Level) -> bool:
    """Users of a closed load who always have a transaction under way, by Little's law: R = N / X.

    Without a think time of the load they may have one of the workload's own.
    """
    times = level.response_time_ms
    if "closed" not in level.load or level.load["closed"].get("think_time_s") or not level.users or not times:
        return False
    return level.throughput_per_s.value * times.mean / MS_PER_S > ALWAYS_BUSY.value * level.users
