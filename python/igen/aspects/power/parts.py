"""What the host's meters add to a level, and what watts and disks add to a system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from igen.judge.figure.figure import Figure
from igen.judge.result import Level, LevelPart, SystemPart, aspect


@dataclass(frozen=True, slots=True, kw_only=True)
class Power(LevelPart):
    """What the host drew while the level was measured."""

    kind: Literal["power"] = "power"
    mean_w: dict[str, float]
    """By meter; a part lies within its whole, so they do not add up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Merit(SystemPart):
    """What a system does for its watts and in the place of disks, where the study says of which."""

    kind: Literal["merit"] = "merit"
    level: int
    """The peak, or the level with the highest throughput."""
    meter: str
    """The host's own, from which `watts` were read; empty where the study says them."""
    watts: float | None
    """None also where the meter was not read."""
    joules_per_transaction: Figure | None
    """Energy of one transaction: watts / (transactions/s). In mJ it is the number that is published as mW."""
    disk: str
    """Name of the disk in the plural; empty where the study names none."""
    disk_per_s: float | None
    disks: Figure | None
    """So many of them do as many transactions a second."""

    def watts_at(self, level: Level) -> float | None:
        """What the system drew at a level: what its meter said then, or what the study says."""
        return power_w(level).get(self.meter) if self.meter else self.watts


def power_w(level: Level) -> dict[str, float]:
    """What the host drew at a level, by meter; empty without one."""
    power = aspect(level, Power)
    return power.mean_w if power else {}
