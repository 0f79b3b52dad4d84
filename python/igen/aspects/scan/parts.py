"""What table scans add to a level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from igen.judge.figure.estimate import Estimate
from igen.judge.result import LevelPart


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan(LevelPart):
    """What one table scan took, and all users' scans achieved together; without CPU time on other hosts."""

    kind: Literal["scan"] = "scan"
    time_s: Estimate
    records_per_s: Estimate
    bytes_per_s: Estimate
    """Nominal: bytes of a record as published."""
    cpu_s: Estimate | None
    cpu_percent: Estimate | None
    """Share of one processor: 200 where two were busy all the time."""
    cpu_us_per_record: Estimate | None
