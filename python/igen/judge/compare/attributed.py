"""The parts of a ratio, as the result document has them: a part for each factor that changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from igen.judge.compare.shape import Kind
from igen.judge.figure.figure import Figure
from igen.loads import Quantity

MOST_NAMES = 2
"""A factor of more changes is not named by all of them."""
Unit = Literal["thread", "GHz", "watt", "rack unit", "price"]
InteractionAnswer = Literal["more", "less", "none", "cannot tell"]
"""What the second system of a factor gains from it over the first one: `none` is within the margin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A fact or a setting of a factor."""

    name: str
    of_base: str
    """The value as text."""
    of_system: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRatio:
    """System over base, which differ in one factor."""

    system: str
    base: str
    ratio: Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class FactorPart:
    """The part of a ratio that one factor has."""

    changes: list[Change]
    """All that changes together."""
    ratio: Figure
    """The geometric mean of the steps."""
    steps: list[StepRatio]
    """In a chain one; in a 2 x 2 two: with the other factor as in the base, and as in the system."""

    @property
    def name(self) -> str:
        """The name of the factor: of a single change its own, of `cpu.model` and `cpu.cores` it is `cpu`."""
        first, *others = names = [change.name for change in self.changes]
        subject = first.partition(".")[0]
        if others and all(name.startswith(f"{subject}.") for name in names):
            return subject
        return " and ".join(names) if len(names) <= MOST_NAMES else f"{first} and {len(others)} more"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """How much larger the ratio of a factor is with the other factor changed, the same for both factors."""

    ratio: Figure
    answer: InteractionAnswer
    """After Holm's correction for all loads, and beyond what disturbed the machine."""
    p: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PerUnit:
    """The ratio of the throughputs by unit of something that the two systems have in different amounts."""

    unit: Unit
    of_system: float
    of_base: float
    ratio: Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    """The ratio of two systems at one load as the product of the ratios of their factors."""

    shape: Kind
    test: str
    """Test of the study; empty if it names none."""
    systems: list[str]
    """All systems of the shape, from the base to the system."""
    system: str
    """It differs from the base in all factors."""
    base: str
    level: int
    """Number of the level in the base."""
    users: int | None
    offered_per_s: float | None
    load: str
    """The one of several loads at once that it is about; else empty."""
    quantity: Quantity
    """What the load decides by."""
    ratio: Figure
    parts: list[FactorPart]
    """Their ratios multiply to `ratio`. The intervals are about each of them alone."""
    interaction: Interaction | None
    """None of a chain, which has no system with the later factor alone."""
    per_unit: list[PerUnit]
