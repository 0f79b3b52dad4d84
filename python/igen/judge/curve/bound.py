"""The load at which a closed system fills up, by the utilisation of its resources at lower loads.

Utilisation law: a resource that is busy for the share U at X transactions a second is full at X / U. Law of
the response time: N users who wait for R and think for Z make X = N / (R + Z) (Lazowska et al., *Quantitative
System Performance*, 1984, chapter 5).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from igen.judge.result import Level
from igen.judge.trust.rules.curve import HALF_FULL, LEAST_LEVELS_OF_BOUND

Shares = Callable[[Level], Mapping[str, float]]
"""The share of each resource of a level that was busy, 0 to 1, by its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """The resource that fills first, and when."""

    resources: tuple[str, ...]
    """Several if their bounds are the same number of users."""
    users: int
    """Rounded to two digits: a bound is not more precise."""
    per_s: float
    """Transactions a second."""
    levels: Sequence[Level]
    """The levels from which it was computed, in ascending order of users."""


def bound_of(levels: Sequence[Level], shares: Shares) -> Bound | None:
    """Return the load at which the fullest resource of these closed loads is full; None if that is unknown.

    Levels at which something is half full do not count if there are enough others.
    """
    usable = [
        (level, users, level.throughput_per_s.value, found)
        for level in levels
        if (users := level.users)
        and "closed" in level.load
        and level.trust.verdict != "INVALID"
        and level.throughput_per_s.value > 0
        and (found := shares(level))
    ]
    below = [each for each in usable if max(each[3].values()) < HALF_FULL.value]
    if len(below) < LEAST_LEVELS_OF_BOUND.value:
        below = usable
    names = dict.fromkeys(name for _, _, _, found in below for name in found)
    squares = sum(per_s**2 for _, _, per_s, _ in below)
    demands_s = {
        name: sum(found[name] * per_s for _, _, per_s, found in below) / squares
        for name in names
        if all(name in found for _, _, _, found in below)
    }
    largest_s = max(demands_s.values(), default=0.0)
    if len(below) < LEAST_LEVELS_OF_BOUND.value or largest_s <= 0:
        return None
    per_s = 1 / largest_s
    cycle_s = sum(users for _, users, _, _ in below) / sum(each for _, _, each, _ in below)
    users = _two_digits(per_s * cycle_s)
    return Bound(
        resources=tuple(
            name
            for name, demand_s in demands_s.items()
            if demand_s > 0 and _two_digits(cycle_s / demand_s) == users
        ),
        users=users,
        per_s=per_s,
        levels=sorted((level for level, _, _, _ in below), key=lambda level: level.users or 0),
    )


def _two_digits(value: float) -> int:
    """Return the whole number that has the first two digits of `value`, 1 or more."""
    unit = 10 ** max(math.floor(math.log10(value)) - 1, 0) if value >= 1 else 1
    return max(round(value / unit) * unit, 1)
