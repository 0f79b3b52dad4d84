"""Alternating runs and their medians: what drifts on the machine falls on both sides alike."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Comparison:
    """Values of each side in the order in which they were measured."""

    values: Mapping[str, list[float]]

    def median(self, side: str) -> float:
        """Median of one side."""
        return statistics.median(self.values[side])

    def spread(self, side: str) -> str:
        """Lowest to highest value of one side."""
        return spread(self.values[side])

    def ratios(self, side: str, base: str) -> list[float]:
        """The ratio of each round."""
        pairs = zip(self.values[side], self.values[base], strict=True)
        return [ours / theirs for ours, theirs in pairs]

    def ratio(self, side: str, base: str) -> float:
        """Median of the ratios within the rounds: a round that is slow as a whole cancels out."""
        return statistics.median(self.ratios(side, base))


def spread(values: Sequence[float]) -> str:
    """Lowest to highest value."""
    return f"{min(values):.4g} to {max(values):.4g}"


def interleave(sides: Mapping[str, Callable[[], T]], rounds: int) -> dict[str, list[T]]:
    """Measures each side once a round; every other round goes backwards: A B, B A, A B, ..."""
    values: dict[str, list[T]] = {name: [] for name in sides}
    for number in range(rounds):
        for name in list(sides)[:: 1 if number % 2 == 0 else -1]:
            values[name].append(sides[name]())
    return values


def alternate(sides: Mapping[str, Callable[[], float]], rounds: int) -> Comparison:
    """Compares the values of `interleave`."""
    return Comparison(interleave(sides, rounds))
