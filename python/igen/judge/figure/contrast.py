"""Contrasts of several systems: products of powers of their figures, such as (d / c) / (b / a).

All contrasts of the same figures come from the same means, so that the ratios of a chain multiply exactly to
the ratio of its ends.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, inf, sqrt

import numpy as np

from igen.judge.figure.figure import Figure, Kind
from igen.judge.figure.interval import SessionVariance
from igen.judge.trust.rules.statistics import LEAST_RUNS


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """The figures of one system by repeat, and where it was measured."""

    figures: Mapping[int, float]
    """All above 0."""
    session: Hashable = ""
    """Repeats of systems of one session stand side by side."""
    sessions: SessionVariance | None = None
    """Variance between sessions of its machine; None if all systems share a session."""


def contrast(sides: Sequence[Side], powers: Sequence[float], *, looked: bool = False) -> Figure:
    """Return the product of the systems' figures, each to its power; the powers are 0 together.

    By repeat within a session, so that what befalls the systems of a repeat alike drops out: t on the
    logarithms of the repeats' own products. Sessions are independent: their variances add (degrees of
    freedom after Satterthwaite), with the variance between sessions. Only repeats count that all systems of
    their session have. No interval below `LEAST_RUNS` of them. `looked`: their number was decided by looking.
    """
    value, n = 0.0, 0
    parts: list[tuple[float, float]] = []
    between: dict[SessionVariance, float] = {}
    used: list[int] = []
    for session in dict.fromkeys(side.session for side in sides):
        places = [place for place, side in enumerate(sides) if side.session == session]
        shared = sorted(set.intersection(*({*sides[place].figures} for place in places)))
        logs = np.array([[np.log(sides[place].figures[each]) for each in shared] for place in places])
        own = np.array([powers[place] for place in places])
        if not own.any():
            continue
        products = own @ logs if shared else np.array([])
        n = len(shared)
        used.append(n)
        value += float(products.mean()) if n else 0.0
        if n >= LEAST_RUNS.value:
            parts.append((float(products.var(ddof=1)) / n, n - 1.0))
        variance = sides[places[0]].sessions
        if variance is not None:
            between[variance] = between.get(variance, 0.0) + float(own.sum()) ** 2
    n = min(used, default=0)
    kind: Kind = "runs" if len(used) > 1 else "sequence" if looked else "pairs"
    if n < LEAST_RUNS.value:
        return Figure(value=exp(value), n=n, kind=kind)
    added = [(times * of.variance, of.freedom) for of, times in between.items() if times * of.variance > 0]
    parts += added
    squared_error = sum(part for part, _ in parts)
    squares = sum(part**2 / freedom for part, freedom in parts)
    return Figure.estimated(
        exp(value),
        sqrt(squared_error),
        squared_error**2 / squares if squares else inf,
        n,
        kind,
        sqrt(sum(part for part, _ in added)),
    )
