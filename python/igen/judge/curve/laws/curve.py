"""A measured curve as the laws see it: users, throughput, time in the system, and how well each is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from igen.errors import InputError, OutOfReach
from igen.judge.curve.points import used_runs
from igen.judge.result import Level, System
from igen.judge.trust.rules.prediction import LEAST_THINKING, UNREPEATED
from igen.judge.trust.usable import usable
from igen.units import MS_PER_S


@dataclass(frozen=True, slots=True)
class CurveLevel:
    """One measured load."""

    users: float
    throughput_per_s: float
    response_s: float
    """Mean time of a transaction in the system."""
    error: float | None = None
    """Standard error of ln throughput; None where nothing was repeated."""
    response_error: float | None = None
    """Standard error of ln response time."""


@dataclass(frozen=True, slots=True)
class ScalingCurve:
    """Levels in ascending order of users, all different; at least one."""

    name: str
    transaction: str
    think_s: float
    """What a user waits between two transactions, by Z = N / X - R (the interactive response time law)."""
    levels: tuple[CurveLevel, ...]
    left_out: tuple[float, ...] = ()
    """Users of the measured levels whose throughput cannot be used."""

    @property
    def users(self) -> np.ndarray:
        """The measured loads."""
        return np.array([level.users for level in self.levels])

    @property
    def throughput_per_s(self) -> np.ndarray:
        """In the order of the loads."""
        return np.array([level.throughput_per_s for level in self.levels])

    @property
    def response_s(self) -> np.ndarray:
        """In the order of the loads."""
        return np.array([level.response_s for level in self.levels])

    @property
    def concurrency(self) -> np.ndarray:
        """Mean number of transactions in the system: X R (Little's law), or N where nobody thinks."""
        return self.throughput_per_s * self.response_s if self.think_s else self.users

    @property
    def error(self) -> float | None:
        """Standard error of ln throughput of a level, pooled over the levels; None where none is known."""
        known = [level.error for level in self.levels if level.error is not None]
        return float(np.sqrt(np.mean(np.square(known)))) if known else None

    @property
    def response_error(self) -> float | None:
        """The same of ln response time."""
        known = [level.response_error for level in self.levels if level.response_error is not None]
        return float(np.sqrt(np.mean(np.square(known)))) if known else None

    @property
    def noise(self) -> float:
        """Standard error of a level beside a law: that of the throughput, and where users think, so that the
        concurrency is measured too, that of the response time where it is larger."""
        known = [self.error, self.response_error if self.think_s else None]
        return max((each for each in known if each is not None), default=UNREPEATED.value)


def curve_of(system: System) -> ScalingCurve:
    """The levels of a closed load whose throughput may be used.

    Raises `InputError` for an open or paced load, whose throughput is what was offered, and where no level
    may be used.
    """
    if system.load_model != "closed" or system.scaling:
        kind = "a curve along the targets" if system.scaling else f"of {_article(system.load_model)} load"
        hint = "measure one: igen run WORKLOAD --users 1,2,4,8"
        text = f"{system.name} is {kind}; only a closed load has a curve along its users"
        raise InputError(text, where="RUN", hint=hint)
    good = [level for level in usable(system.levels) if level.users]
    if not good:
        text = f"{system.name} has no level of which anything may be said"
        hint = "`igen show` tells why; measure it again on a quieter machine"
        raise OutOfReach(text, where="RUN", hint=hint)
    levels = sorted(map(_level, good), key=lambda at: at.users)
    used = {level.users for level in levels}
    left_out = sorted({float(level.users) for level in system.levels if level.users} - used)
    return replace(curve_through(system.name, system.transaction, levels), left_out=tuple(left_out))


def curve_through(name: str, transaction: str, levels: Sequence[CurveLevel]) -> ScalingCurve:
    """The curve through levels in ascending order; the think time follows from them."""
    return ScalingCurve(name, transaction, _think_s(levels), tuple(levels))


def _think_s(levels: Sequence[CurveLevel]) -> float:
    """Z = N / X - R, each level with the weight of its cycle's certainty; 0 where it is next to nothing."""
    cycles = np.array([level.users / level.throughput_per_s for level in levels])
    thought = cycles - np.array([level.response_s for level in levels])
    if np.all(thought < LEAST_THINKING.value * cycles):
        return 0.0
    return max(float(np.average(thought, weights=1 / cycles**2)), 0.0)


def _level(level: Level) -> CurveLevel:
    users, runs = float(level.users or 0), used_runs(level)
    cycle_s = users / level.throughput_per_s.value
    times = level.response_time_ms
    means = [run.response_time_ms.mean for run in runs if run.response_time_ms]
    return CurveLevel(
        users=users,
        throughput_per_s=level.throughput_per_s.value,
        response_s=min(times.mean / MS_PER_S, cycle_s) if times else cycle_s,
        error=_error([run.throughput_per_s for run in runs]),
        response_error=_error(means),
    )


def _error(values: Sequence[float]) -> float | None:
    """Standard error of the mean of the logarithms; None below two values."""
    if len(values) < 2 or min(values) <= 0:
        return None
    return float(np.std(np.log(values), ddof=1) / np.sqrt(len(values)))


def _article(load_model: str) -> str:
    return f"an {load_model}" if load_model[:1] in "aeiou" else f"a {load_model}"
