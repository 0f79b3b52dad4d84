"""The shape of a study's systems: a 2 × 2 of two factors, or a chain that changes one factor at a time.

A factor is all that changes together: another chip changes its model, its frequency and its caches at once,
and no measurement could tell them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Literal

Kind = Literal["2 x 2", "chain"]
Step = tuple[int, int]
"""Two systems by index, the base first, between which one factor changes."""
Names = frozenset[str]
"""What differs between two systems."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Factors that lead from the first system to the last one."""

    kind: Kind
    order: tuple[int, ...]
    """The systems by index; the last one differs from the first one in all factors."""
    factors: tuple[tuple[Step, ...], ...]
    """The steps of each factor: two in a 2 × 2, with the other factor as in the first system and as in the
    last one; one in a chain."""


def shape_of(systems: Sequence[int], names: Callable[[int, int], Names]) -> Shape | None:
    """Return the shape of these systems, seen from the first one; None if they have neither shape.

    A chain has the systems in the order given.
    """
    return _crossed(systems, names) or _chain(systems, names)


def _crossed(systems: Sequence[int], names: Callable[[int, int], Names]) -> Shape | None:
    if len(systems) != 4:
        return None
    first, *others = systems
    for one, other in combinations(others, 2):
        (last,) = {*others} - {one, other}
        factors = names(first, one), names(first, other)
        again = names(other, last), names(one, last)
        if all(factors) and not factors[0] & factors[1] and factors == again:
            steps = ((first, one), (other, last)), ((first, other), (one, last))
            return Shape(kind="2 x 2", order=(first, one, other, last), factors=steps)
    return None


def _chain(systems: Sequence[int], names: Callable[[int, int], Names]) -> Shape | None:
    steps = [*pairwise(systems)]
    factors = [names(*step) for step in steps]
    # What changes at one step and at another without the rest is a second factor of one of them.
    apart = all(one == other or not one & other for one, other in combinations(factors, 2))
    if not apart or not all(factors) or len({*factors}) < 2:
        return None
    return Shape(kind="chain", order=tuple(systems), factors=tuple((step,) for step in steps))
