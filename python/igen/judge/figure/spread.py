"""How much runs of one level differ: the variance of the levels of a system together, if they are alike.

Three runs hardly know their own variance: their intervals are as wide as 4.3 standard errors, and those of
neighbours differ tenfold. All levels together know it well. A level whose variance is larger than the others'
(F test) keeps its own. A smaller one is chance, or harmless: with it the interval would be too narrow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from igen.judge.figure.student import f_tail
from igen.judge.trust.rules.statistics import SAME_VARIANCE_P


@dataclass(frozen=True, slots=True)
class Spread:
    """Variance of the logarithm of a figure from run to run, and the degrees of freedom behind it."""

    variance: float
    freedom: float


def spread_of(values: Sequence[float]) -> Spread:
    """Return what two or more figures above 0 tell of their spread by themselves."""
    return Spread(float(np.log(np.asarray(values, float)).var(ddof=1)), len(values) - 1.0)


def spreads_of(levels: Sequence[Sequence[float]]) -> list[Spread | None]:
    """Return the spread of each level from the figures of the runs of all levels of a system.

    None for a level with fewer than two runs, or with a figure that is not above 0.
    """
    own = [spread_of(values) if len(values) > 1 and min(values) > 0 else None for values in levels]
    known = [each for each in own if each is not None]
    alike = [each for each in known if _is_like(each, [other for other in known if other is not each])]
    together = pooled(alike)
    return [together if any(each is like for like in alike) else each for each in own]


def pooled(spreads: Sequence[Spread]) -> Spread | None:
    """Return the mean variance by degrees of freedom; None of no spread."""
    freedom = sum(each.freedom for each in spreads)
    if not freedom:
        return None
    return Spread(sum(each.variance * each.freedom for each in spreads) / freedom, freedom)


def _is_like(each: Spread, others: Sequence[Spread]) -> bool:
    """Return True if chance may have made a variance larger than the others'."""
    rest = pooled(others)
    if rest is None:
        return True
    return f_tail(each.variance, rest.variance, each.freedom, rest.freedom) >= SAME_VARIANCE_P.value
