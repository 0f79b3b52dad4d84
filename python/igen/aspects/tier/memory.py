"""Memory of the tiers over the users: a fixed part, and a part for each user.

Memory divided by users is neither: a server that takes 9.7 MB for itself and 17 kB for each user was said to
take 0.210 MB for each of 50 users and 0.065 MB for each of 200.
"""

from __future__ import annotations

from collections.abc import Sequence

from igen.aspects.tier.parts import TierMemory, TiersMemory, tiers_at
from igen.aspects.tier.tables import ALL_TIERS
from igen.document import Column, Table
from igen.judge.aspect import SystemRuns
from igen.judge.figure.line import line_through
from igen.judge.result import Figure, Result, System, aspect
from igen.judge.trust.usable import usable
from igen.layout.level import is_comparison
from igen.layout.number import column, interval

NOTE = (
    "Memory = fixed + per user × users, by least squares over the levels; 95 % intervals by Student's t with "
    "levels - 2 degrees of freedom."
)


def memory_of(system: SystemRuns) -> TiersMemory | None:
    """Return the lines of all tiers; None below three numbers of users, and along the number of targets."""
    if system.first.along_targets:
        return None
    points: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for level in usable(system.levels):
        tiers = tiers_at(level)
        if tiers is None or not level.users:
            continue
        for tier in tiers.tiers:
            if tier.memory_bytes is not None:
                points.setdefault((tier.name, tier.host), []).append((level.users, tier.memory_bytes))
        if tiers.memory_bytes is not None and len(tiers.tiers) > 1:
            points.setdefault((ALL_TIERS, ""), []).append((level.users, tiers.memory_bytes))
    found = []
    for (name, host), of_levels in points.items():
        line = line_through(*zip(*of_levels, strict=True))
        if line is not None:
            found.append(TierMemory(name=name, host=host, fixed_bytes=line.fixed, bytes_per_user=line.slope))
    # The sum of all tiers comes last, whichever level knew it first.
    found.sort(key=lambda each: each.name == ALL_TIERS)
    return TiersMemory(tiers=found) if found else None


def memory_table(result: Result) -> Table:
    """Return a row for each tier of each system; no columns without a line."""
    rows = [
        (system, tier)
        for system in result.systems
        if (memory := aspect(system, TiersMemory)) is not None
        for tier in memory.tiers
    ]
    if not rows:
        return Table([])
    columns = [
        *([_systems([system for system, _ in rows])] if is_comparison(result) else []),
        Column("tier", [tier.name for _, tier in rows], "text", key=True),
        *_estimates([tier.fixed_bytes for _, tier in rows], 1e6, "fixed, MB"),
        *_estimates([tier.bytes_per_user for _, tier in rows], 1e3, "per user, kB"),
        Column("levels", [str(tier.bytes_per_user.n) for _, tier in rows]),
    ]
    if any(tier.host for _, tier in rows):
        columns.insert(-5, Column("host", [tier.host for _, tier in rows], "text"))
    return Table(columns, [NOTE])


def _systems(systems: Sequence[System]) -> Column:
    return Column("system", [system.name for system in systems], "text", key=True)


def _estimates(found: Sequence[Figure], unit: float, group: str) -> list[Column]:
    values = [each / unit for each in found]
    return [
        Column("fit", column([each.value for each in values]), group=group),
        Column("95 % interval", [interval(each, digits=3) for each in values], group=group),
    ]
