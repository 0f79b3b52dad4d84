"""What table scans add to a level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from igen.judge.figure.figure import Figure
from igen.judge.result import LevelPart


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan(LevelPart):
    """What one table scan took, and all users' scans achieved together; without CPU time on other hosts."""

    kind: Literal["scan"] = "scan"
    time_s: Figure
    records_per_s: Figure
    bytes_per_s: Figure
    """Nominal: bytes of a record as published."""
    cpu_s: Figure | None
    cpu_percent: Figure | None
    """Share of one processor: 200 where two were busy all the time."""
    cpu_us_per_record: Figure | None
