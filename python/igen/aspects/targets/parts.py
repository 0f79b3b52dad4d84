"""What several targets add to a level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from igen.judge.figure.figure import Figure, Times
from igen.judge.result import Level, LevelPart, aspect


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetResult:
    """What one of several targets did: a shard, or one of several servers that are alike."""

    target: str
    transactions: int
    errors: int
    share: float
    """Share of the successful transactions of all targets, 0 to 1."""
    throughput_per_s: Figure
    response_time_ms: Times | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Targets(LevelPart):
    """What each of several targets did."""

    kind: Literal["targets"] = "targets"
    targets: list[TargetResult]
    """In the order of the job's."""


def targets_at(level: Level) -> list[TargetResult]:
    """Each of several targets; empty where there is one."""
    targets = aspect(level, Targets)
    return targets.targets if targets else []
