"""Targets that should be alike and are not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from igen.aspects.targets.measure import users_of_target
from igen.aspects.targets.parts import TargetResult, targets_at
from igen.judge.curve.named import load_of
from igen.judge.result import Figure, Finding, Level, System
from igen.judge.trust.finding import finding, parts_of

UNEVEN = 0.10
"""A target that differs from the median of the others by more than this is named."""


@dataclass(frozen=True, slots=True)
class _Outlier:
    level: Level
    target: TargetResult
    value: float
    usual: float
    others: int
    """Further targets of the level that are as uneven."""

    @property
    def factor(self) -> float:
        return max(self.value, self.usual) / min(self.value, self.usual)


def target_observations(system: System, levels: Sequence[Level]) -> Iterator[Finding]:
    """Yield the most uneven target by throughput and by response time, each at its worst level."""
    rates = _worst(levels, _throughput_per_user)
    if rates:
        rule = "target-does-less" if rates.value < rates.usual else "target-does-more"
        name = "throughput_per_s" if _even(rates.level) else "per_user_per_s"
        yield _finding(rule, name, system, rates)
    times = _worst(levels, _response_time)
    if times:
        rule = "target-answers-faster" if times.value < times.usual else "target-answers-slower"
        yield _finding(rule, "response_time_ms", system, times)


def _finding(rule: str, name: str, system: System, outlier: _Outlier) -> Finding:
    """Return a target's figure of that name, and the figure that is usual among the others."""
    return finding(
        rule,
        load_of(system, outlier.level),
        *parts_of({name: outlier.value, f"usual_{name}": outlier.usual}),
        limit=1 + UNEVEN,
        target=outlier.target.target,
        factor=outlier.factor,
        others=outlier.others,
    )


def _worst(levels: Sequence[Level], of: Callable[[Level, int], Figure | None]) -> _Outlier | None:
    """The farthest outlier of all levels."""
    found = (outlier for level in levels if (outlier := _farthest(level, of)))
    return max(found, key=lambda outlier: outlier.factor, default=None)


def _farthest(level: Level, of: Callable[[Level, int], Figure | None]) -> _Outlier | None:
    estimates = [of(level, index) for index in range(len(targets_at(level)))]
    found = []
    for index, estimate in enumerate(estimates):
        others = [other for place, other in enumerate(estimates) if place != index and other]
        usual = median(other.value for other in others) if others else 0.0
        if estimate and usual > 0 < estimate.value and _apart(estimate, others):
            found.append(_Outlier(level, targets_at(level)[index], estimate.value, usual, 0))
    outliers = [each for each in found if each.factor > 1 + UNEVEN]
    if not outliers:
        return None
    worst = max(outliers, key=lambda outlier: outlier.factor)
    # Of two targets each is the other's outlier: one sentence says it of both.
    others_too = len(outliers) - 1 if len(targets_at(level)) > 2 else 0
    return _Outlier(level, worst.target, worst.value, worst.usual, others_too)


def _apart(estimate: Figure, others: Sequence[Figure]) -> bool:
    """Return True if the interval does not touch the one that is usual among the others."""
    known = [ends for other in others if (ends := other.ends())]
    usual = map(median, zip(*known, strict=True))
    return len(known) == len(others) and estimate.against(*usual) in ("above", "below")


def _even(level: Level) -> bool:
    return level.users is None or level.users % len(targets_at(level)) == 0


def _throughput_per_user(level: Level, index: int) -> Figure | None:
    """Throughput; of each user where the targets do not have as many."""
    rate = targets_at(level)[index].throughput_per_s
    if _even(level) or level.users is None:
        return rate
    users = users_of_target(level.users, len(targets_at(level)), index)
    return rate / users if users else None


def _response_time(level: Level, index: int) -> Figure | None:
    times = targets_at(level)[index].response_time_ms
    return times.mean_interval if times else None
