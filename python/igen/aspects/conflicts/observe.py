"""Attempts that users lost to each other: their time is part of the response times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from igen.judge.result import Level, Observation, System
from igen.judge.wording import load
from igen.units import format_count, format_number

CONFLICTS = "conflicts"
"""Counter of a workload: attempts that were rolled back because of another user, and retried."""


def conflict_observations(system: System, _: Sequence[Level]) -> Iterator[Observation]:
    """Yield one sentence about the level with the most conflicts per transaction, if a level has any."""
    counted = [level for level in system.levels if level.counters.get(CONFLICTS)]
    if not counted:
        return
    level = max(counted, key=lambda level: level.counters[CONFLICTS].per_transaction)
    conflicts, at = level.counters[CONFLICTS], load(system, level)
    each = format_number(conflicts.per_transaction, 2)
    yield Observation(
        text=(
            f"{system.name} at {at}: {format_count(conflicts.count)} attempts were lost to conflicts between "
            f"users and retried, {each} a transaction; the response times contain them."
        ),
        evidence=f"counter `{CONFLICTS}` of {at}; {format_count(level.transactions)} transactions",
    )
