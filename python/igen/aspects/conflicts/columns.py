"""Conflicts as a column next to the errors."""

from __future__ import annotations

from collections.abc import Sequence

from igen.aspects.conflicts.observe import CONFLICTS
from igen.document import Column
from igen.judge.result import Level


def conflicts_columns(levels: Sequence[Level]) -> list[Column]:
    """Return the attempts that each level lost to conflicts; nothing if no level counted any."""
    found = [level.counters.get(CONFLICTS) for level in levels]
    return [Column(CONFLICTS, [f"{each.count:,}" if each else "0" for each in found])] if any(found) else []
