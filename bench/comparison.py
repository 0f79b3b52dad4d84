"""Alternating runs and their medians: what drifts on the machine falls on both sides alike."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Side = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Values of each side in the order in which they were measured."""

    values: Mapping[str, list[float]]

    def median(self, side: str) -> float:
        """Median of one side."""
        return statistics.median(self.values[side])

    def spread(self, side: str) -> str:
        """Lowest to highest value of one side."""
        return f"{min(self.values[side]):.4g} to {max(self.values[side]):.4g}"

    def ratio(self, side: str, base: str) -> float:
        """Median of the ratios within the rounds: a round that is slow as a whole cancels out."""
        pairs = zip(self.values[side], self.values[base], strict=True)
        return statistics.median(ours / theirs for ours, theirs in pairs)


def alternate(sides: Mapping[str, Side], rounds: int) -> Comparison:
    """Measures each side once a round; every other round goes backwards: A B, B A, A B, ..."""
    values: dict[str, list[float]] = {name: [] for name in sides}
    for number in range(rounds):
        for name in list(sides)[:: 1 if number % 2 == 0 else -1]:
            values[name].append(sides[name]())
    return Comparison(values)
