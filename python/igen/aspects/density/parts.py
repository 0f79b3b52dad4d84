"""What watts, rack units and a price add to a system that serves users."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from igen.judge.figure.figure import Figure
from igen.judge.result import SystemPart


@dataclass(frozen=True, slots=True, kw_only=True)
class Density(SystemPart):
    """Users at the highest VALID load within the response-time limit, by what they take."""

    kind: Literal["density"] = "density"
    level: int
    users: int
    watts: Figure | None
    """What it drew then: from a meter with its interval, or as the study says; None where it is not known."""
    meter: str
    """The host's own; empty where the study says the watts."""
    users_per_watt: Figure | None
    rack_units: float | None
    users_per_rack_unit: float | None
    price: float | None = None
    """In the currency of the study."""
    users_per_1000_of_price: float | None = None
