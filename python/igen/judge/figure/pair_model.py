"""The effect of a system on the figure of a pair, separated from the effect of going first.

Of each pair d = ln(system / base), and x = 1 if the system was executed first, -1 if the base was:

    d = δ + π x + ε

δ is the logarithm of the ratio, π the logarithm of a figure that was measured first over one that was
measured second, ε the noise. Least squares (N. R. Draper and H. Smith, "Applied Regression Analysis", 3rd
edition, chapter 1), as for a cross-over trial of two periods (B. Jones and M. G. Kenward, "Design and
Analysis of Cross-Over Trials", 3rd edition, chapter 2). If each system goes first equally often, δ is the
plain mean of d: the model takes π out of the noise, at the cost of one degree of freedom.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from igen.judge.trust.rules.comparison import LEAST_PAIRS_OF_ORDER


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A coefficient of the model, which is a logarithm, with its standard error."""

    value: float
    error: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PairFit:
    """The model of some pairs; without errors if there are too few pairs."""

    difference: Effect
    """δ."""
    freedom: float
    """Degrees of freedom of both errors; below 1 the errors are not known."""
    information: float
    """Number of pairs that would know δ as well if each system went first equally often."""
    weights: tuple[float, ...]
    """Share of each pair in δ, which is the sum of weight times d; together 1."""
    system_first: int | None
    """Pairs in which the system was executed first; None if the order of a pair is unknown or is the mean of
    several loads."""
    going_first: Effect | None = None
    """π; None if it is not in the model."""


def log_ratios(values: Sequence[float], base: Sequence[float]) -> list[float]:
    """Return the logarithm of each value over its base, all above 0."""
    logs: list[float] = (np.log(np.asarray(values, float)) - np.log(np.asarray(base, float))).tolist()
    return logs


def fit_pairs(
    differences: Sequence[float], first: Sequence[float] | None, least: int = LEAST_PAIRS_OF_ORDER.value
) -> PairFit:
    """Return the model of these logarithms of ratios, one or more.

    `first` are the values of x, from -1 to 1; None if the order is unknown. π is left out below `least`
    pairs, and if the order was the same in all pairs, so that π cannot be separated from δ.
    """
    d = np.asarray(differences, float)
    n, mean = len(d), float(d.mean())
    x = np.zeros(n) if first is None else np.asarray(first, float)
    ordered = first is not None and bool((np.abs(x) == 1).all())
    system_first = int((x > 0).sum()) if ordered else None
    spread = float(((x - x.mean()) ** 2).sum())
    if n < least or spread == 0:
        variance = float(d.var(ddof=1)) / n if n > 1 else 0.0
        return PairFit(
            difference=Effect(value=mean, error=sqrt(variance)),
            freedom=n - 1.0,
            information=n,
            weights=(1 / n,) * n,
            system_first=system_first,
        )
    slope = float(((x - x.mean()) * (d - mean)).sum()) / spread
    value = mean - slope * float(x.mean())
    information = n * spread / float((x**2).sum())
    rest = float(((d - value - slope * x) ** 2).sum()) / (n - 2) if n > 2 else 0.0
    return PairFit(
        difference=Effect(value=value, error=sqrt(rest / information)),
        freedom=n - 2.0,
        information=information,
        weights=tuple((1 / n - float(x.mean()) * (x - x.mean()) / spread).tolist()),
        system_first=system_first,
        going_first=Effect(value=slope, error=sqrt(rest / spread)),
    )


def planned_pairs(pairs: int, least: int = LEAST_PAIRS_OF_ORDER.value) -> tuple[float, float]:
    """Return the degrees of freedom and the information of `pairs` pairs in balanced order, one or more."""
    if pairs < least:
        return pairs - 1.0, float(pairs)
    return pairs - 2.0, pairs - (pairs % 2) / pairs
