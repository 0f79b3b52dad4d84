"""The answer to a plan: what `igen datacenter plan --json` prints."""

from __future__ import annotations

from dataclasses import dataclass

from igen.datacenter.source import Input


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One figure of one estate."""

    key: str
    title: str
    value: float | None
    """With the likely inputs; None where an input is missing."""
    low: float | None = None
    """Low end of the range that holds 95 % of the draws."""
    high: float | None = None
    guesses: list[str]
    """The guesses that it rests on."""
    outside: bool = False
    """Whether it rests on a curve outside of the range that was measured."""
    missing: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """An estate over another in one figure; `~` where the draws do not tell them apart."""

    key: str
    of: str
    base: str
    value: float
    low: float
    high: float
    told: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Swing:
    """How far an answer moves with one input alone."""

    input: str
    source: str
    is_guess: bool
    low: float
    """The answer with the input at its low end."""
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Tornado:
    """Which input matters most for one answer of one estate, the largest swing first."""

    option: str
    key: str
    title: str
    value: float
    swings: list[Swing]


@dataclass(frozen=True, slots=True, kw_only=True)
class Filling:
    """Machines of one kind in racks, for the picture."""

    system: str
    count: int
    per_rack: int
    rack_units: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EstateEstimate:
    """All about one estate."""

    name: str
    fits: bool
    """Into the room, now and with the likely inputs."""
    short_in_year: int | None
    """What stands there does less than what is asked from this year on; None where it never does, and of an
    option, which grows with the demand."""
    limits: list[str]
    """What limits it, in sentences."""
    answers: list[Answer]
    tornado: Tornado | None
    racks: list[Filling]


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimated:
    """The answer to a plan."""

    title: str
    file: str
    currency: str
    estates: list[EstateEstimate]
    cannot: dict[str, str]
    """Estates that cannot serve a demand, by name, with the reason; they have no figures."""
    ratios: list[Ratio]
    guesses: list[str]
    unknown: list[str]
    inputs: list[Input]
