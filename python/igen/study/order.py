"""The order of the executions: repeats outside, levels inside and back again, so that drift favours none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from igen.study.plan import Level


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One execution of one level."""

    level: Level
    repeat: int
    """From 0, counted for each level and purpose."""
    purpose: str
    """`sweep`, `search` or `confirm`."""
    last: bool
    """No later execution of this level is planned."""


def sweep(levels: list[Level], repeats: int) -> Iterator[Execution]:
    """Every level once ascending, once descending, and so on."""
    for repeat in range(repeats):
        for level in levels if repeat % 2 == 0 else reversed(levels):
            yield Execution(level=level, repeat=repeat, purpose="sweep", last=repeat == repeats - 1)
