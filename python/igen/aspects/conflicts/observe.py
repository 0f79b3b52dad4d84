"""Attempts that users lost to each other: their time is part of the response times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from igen.judge.curve.named import load_of, named
from igen.judge.result import Finding, Level, System
from igen.judge.trust.finding import finding

CONFLICTS = "conflicts"
"""Counter of a workload: attempts that were rolled back because of another user, and retried."""


def conflict_observations(system: System, _: Sequence[Level]) -> Iterator[Finding]:
    """Yield the conflicts of the level with the most of them per transaction, if a level has any."""
    counted = [level for level in system.levels if level.counters.get(CONFLICTS)]
    if not counted:
        return
    level = max(counted, key=lambda level: level.counters[CONFLICTS].per_transaction)
    conflicts = level.counters[CONFLICTS]
    yield finding(
        "conflicts",
        named(system),
        load_of(system, level),
        conflicts=conflicts.count,
        per_transaction=conflicts.per_transaction,
        transactions=level.transactions,
    )
