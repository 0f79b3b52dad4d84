"""Where a series of runs over time changes its level.

Binary segmentation: the series is cut where the means of both sides differ most, measured in what chance
allows for sides of these lengths (the likelihood-ratio statistic for a shift of a normal mean: D. M. Hawkins,
"Testing a sequence of observations for a shift in location", Journal of the American Statistical Association
72, 1977). Whether that is chance is asked of the series itself in random order (C. Kirch and J. Steinebach,
"Permutation principles for the change analysis of stochastic processes under strong invariance", Journal of
Computational and Applied Mathematics 186, 2006), so that it holds for noise of any shape. A run that
resembles the one before it makes long waves, which random order does not have: what random order does counts
(1 + r) / (1 - r) times then, as the variance of a mean of an autoregressive series does, where r is the
correlation of a run with the one before it about the means of both sides. Each side of a cut is then asked
the same.

Simulated in tests/judge/test_change.py: a false alarm in at most 5 % of histories without a change; a change
of 2.5 standard deviations found in 0.9 of histories with 8 runs before and after it. At a correlation of 0.3,
which few runs do not show well, 8 to 12 % of histories have a false alarm: so that is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from math import comb

import numpy as np
from numpy.typing import NDArray

from igen.judge.trust.rules.comparison import FALSE_CHANGES, LEAST_HISTORY, LEAST_SIDE

_MOST_CORRELATION = 0.6
"""More is a random walk, of which nothing can be told."""
_LEAST_ORDERS, _MOST_ORDERS = 1999, 19_999
_SEED = 1

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Change:
    """The series has another level from this run on."""

    at: int
    """Number of the first run after the change."""
    p: float
    """Share of random orders in which some cut differs as much."""


def change_points(values: Sequence[float], alpha: float = FALSE_CHANGES.value) -> list[Change]:
    """All changes of a series of positive values, in the order of time; `alpha` is the share of histories
    without one in which one may be found."""
    logs = np.log(np.asarray(values, float))
    found = _changes(logs, 0, alpha, np.random.default_rng(_SEED))
    return sorted(found, key=lambda change: change.at)


def least_runs(alpha: float) -> int:
    """Runs from which on a change can be found: of n runs cut in the middle, two of n over n/2 orders differ
    as much as any do, which must be as rare as `alpha`."""
    return next(runs for runs in count(LEAST_HISTORY.value) if 2 / comb(runs, runs // 2) <= alpha)


def segments(values: Sequence[float], changes: Sequence[Change]) -> list[Sequence[float]]:
    """The series cut at its changes."""
    edges = [0, *(change.at for change in changes), len(values)]
    return [values[begin:end] for begin, end in pairwise(edges)]


def resemblance(values: Sequence[float], changes: Sequence[Change]) -> float | None:
    """Correlation of a run with the one before it, about the level of their segment; None where it cannot be
    told."""
    parts = [np.log(np.asarray(part, float)) for part in segments(values, changes)]
    about = [part - part.mean() for part in parts if len(part) >= LEAST_SIDE.value]
    squares = sum(float((part**2).sum()) for part in about)
    if sum(map(len, about)) < LEAST_HISTORY.value or squares == 0:
        return None
    return sum(float((part[1:] * part[:-1]).sum()) for part in about) / squares


def _changes(logs: Floats, offset: int, alpha: float, random: np.random.Generator) -> list[Change]:
    cut = _cut(logs, alpha, random)
    if cut is None:
        return []
    here = Change(offset + cut.at, cut.p)
    before = _changes(logs[: cut.at], offset, alpha, random)
    return [*before, here, *_changes(logs[cut.at :], offset + cut.at, alpha, random)]


def _cut(logs: Floats, alpha: float, random: np.random.Generator) -> Change | None:
    """Where the series changes most, unless chance does as much."""
    n = len(logs)
    if n < LEAST_HISTORY.value or float(np.ptp(logs)) == 0:
        return None
    at, seen = _largest(logs[None, :])
    orders = int(np.clip(100 / alpha, _LEAST_ORDERS, _MOST_ORDERS))
    shuffled = random.permuted(np.tile(logs, (orders, 1)), axis=1)
    _, by_chance = _largest(shuffled)
    total = float(((logs - logs.mean()) ** 2).sum())
    by_chance, found = (each / np.maximum(total - each, 1e-12 * total) for each in (by_chance, seen[0]))
    as_much = int((by_chance * _waves(logs, int(at[0])) >= found * (1 - 1e-9)).sum())
    p = (1 + as_much) / (1 + orders)
    return Change(int(at[0]), p) if p <= alpha else None


def _waves(logs: Floats, at: int) -> float:
    """By which the resemblance of neighbours multiplies the variance of means; 1 where there is none."""
    off = np.concatenate([part - part.mean() for part in (logs[:at], logs[at:])])
    squares = float(off @ off)
    seen = float(off[1:] @ off[:-1]) / squares if squares > 0 else 0.0
    # About means of its own a series seems to resemble itself less (Kendall 1954).
    correlation = min(max(seen + (1 + 3 * max(seen, 0.0)) / len(logs), 0.0), _MOST_CORRELATION)
    return (1 + correlation) / (1 - correlation)


def _largest(series: Floats) -> tuple[NDArray[np.int64], Floats]:
    """The best cut of each series, and its statistic: the sum of squares between both sides.

    What is left within them is the rest of the same total.
    """
    n = series.shape[1]
    sums = np.cumsum(series - series.mean(axis=1, keepdims=True), axis=1)
    cuts = np.arange(LEAST_SIDE.value, n - LEAST_SIDE.value + 1)
    between = sums[:, cuts - 1] ** 2 * (n / (cuts * (n - cuts)))
    best = between.argmax(axis=1)
    return cuts[best], between[np.arange(len(series)), best]
