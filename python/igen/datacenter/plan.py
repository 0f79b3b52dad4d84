"""What the file says, as values: systems, demands, the room, what stands there, what could."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from igen.datacenter.source import Input, Source
from igen.judge.curve.laws.curve import ScalingCurve

HOURS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedSystem:
    """A machine that stands there or could."""

    name: str
    curve: ScalingCurve
    curve_source: Source
    extrapolate: bool = False
    """Whether a law may tell what lies beyond the last measured level."""
    rack_units: Input
    watts_max: Input | None = None
    watts_idle: Input | None = None
    watts_curve: Sequence[Input] = ()
    """From idle to full load at equal distances; linear between idle and max without it."""
    price: Input | None = None
    licence_per_core_year: Input | None = None
    embodied_kg: Input | None = None
    cores: Input | None = None
    sockets: Input | None = None
    memory_gb: Input | None = None
    most_per_chassis: Input | None = None
    chassis_rack_units: Input | None = None
    unknown: Sequence[str] = ()
    """Names of its numbers that are marked as unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """What is asked for at the peak hour: users who think, or transactions a second."""

    name: str
    line: int | None
    users: Input | None = None
    think_time_s: Input | None = None
    transactions_per_s: Input | None = None
    growth_per_year: Input
    headroom: Input
    response_time_limit_s: Input | None = None
    profile: Sequence[Input] = ()
    """By hour of the day, against the peak hour; always the peak hour without it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What holds the machines, and what it costs; what is not told is None."""

    racks: Input | None = None
    rack_units: Input
    kw_per_rack: Input | None = None
    kw: Input | None = None
    cooling_kw: Input | None = None
    pue: Input | None = None
    tariff_per_kwh: Input | None = None
    co2_g_per_kwh: Input | None = None
    rack_price_per_year: Input | None = None
    years: Input


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """Machines that could serve the demands; for what stands there, how many."""

    name: str
    line: int | None
    systems: Mapping[str, str] = field(default_factory=dict)
    """By demand: the system that serves it."""
    spare: int = 0
    """Machines of each kind beside those that the demand takes."""
    counts: Mapping[str, Input] = field(default_factory=dict)
    """By system: how many stand there; empty where the demand decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The whole file."""

    file: str
    title: str
    currency: str
    systems: Mapping[str, PlannedSystem]
    demands: Sequence[Demand]
    room: Room
    today: Option | None
    options: Sequence[Option]
    inputs: Sequence[Input]
    """All numbers, in the order in which they were read."""
    unknown: Sequence[str]
    """Names of numbers that are marked as unknown."""

    @property
    def estates(self) -> list[Option]:
        """What stands there, where it is told, and all that could."""
        return [*([self.today] if self.today else []), *self.options]
