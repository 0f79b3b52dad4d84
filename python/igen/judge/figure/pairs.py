"""Pairs of runs: the figures of two sides in the same repeat, and which side was executed first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log

from igen.judge.figure.pair_model import PairFit, fit_pairs, log_ratios
from igen.judge.trust.rules.comparison import LEAST_PAIRS_OF_ORDER
from igen.judge.trust.rules.statistics import LEAST_RUNS


@dataclass(frozen=True, slots=True)
class RunFigure:
    """A figure of one run, and the place of the run in the order of its study."""

    value: float
    order: int | None = None
    """From 0; None if unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """The pairs in ascending order of repeats."""

    values: list[float]
    """Figures of the system."""
    base: list[float]
    first: list[float] | None = None
    """For each pair 1 if the system was executed first, -1 if the base was; None if that is unknown."""

    @property
    def ratios(self) -> list[float]:
        """Value over base of each pair."""
        return [value / base for value, base in zip(self.values, self.base, strict=True)]

    def model(self, *, looked: bool = False) -> PairFit:
        """Return the effect of the system, apart from that of going first.

        The order is in the model of pairs that are looked at from the first on: one martingale cannot change
        its model on the way.
        """
        least = LEAST_RUNS.value if looked else LEAST_PAIRS_OF_ORDER.value
        return fit_pairs(log_ratios(self.values, self.base), self.first, least)


def weighted_mean(figures: Sequence[float], weights: Sequence[float]) -> float:
    """Return the geometric mean of figures above 0; the weights are 1 together."""
    return exp(sum(weight * log(figure) for figure, weight in zip(figures, weights, strict=True)))


def paired(system: Mapping[int, RunFigure], base: Mapping[int, RunFigure]) -> Pairs:
    """Return the pairs of two sides, by repeat; a figure whose repeat the other side lacks does not count."""
    both = [(system[repeat], base[repeat]) for repeat in sorted(system.keys() & base.keys())]
    first = [_first(*pair) for pair in both]
    known = [each for each in first if each is not None]
    return Pairs(
        values=[ours.value for ours, _ in both],
        base=[theirs.value for _, theirs in both],
        first=known if len(known) == len(first) else None,
    )


def _first(system: RunFigure, base: RunFigure) -> float | None:
    if system.order is None or base.order is None or system.order == base.order:
        return None
    return 1.0 if system.order < base.order else -1.0
