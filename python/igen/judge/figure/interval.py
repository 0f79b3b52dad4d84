"""Constructors of figures from runs: means and ratios.

The run is the unit of inference: intervals within a run are correlated, so pooling the intervals of several
runs covers the truth in 30 % of studies instead of 95 %. Throughputs and times are positive and their errors
multiply, so ratios are compared as logarithms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, sqrt

import numpy as np

from igen.judge.figure.figure import Figure, Kind
from igen.judge.figure.pairs import Pairs
from igen.judge.figure.spread import Spread, spread_of
from igen.judge.figure.student import normal_quantile
from igen.judge.trust.rules.comparison import SESSION_SD
from igen.judge.trust.rules.statistics import CONFIDENCE, LEAST_RUNS


@dataclass(frozen=True, slots=True)
class SessionVariance:
    """How much ln of the same figure differs from one session to the next, beyond the noise of its runs; of
    two machines the mean of both."""

    variance: float
    freedom: float
    """Degrees of freedom behind the variance."""
    is_assumed: bool = False
    """Nobody measured it on the machine that the figures are of."""

    def and_of(self, other: SessionVariance) -> SessionVariance:
        """That of two figures of two machines (degrees of freedom after Satterthwaite)."""
        sum_, parts = self.variance + other.variance, (self, other)
        squares = sum(each.variance**2 / each.freedom for each in parts)
        return SessionVariance(
            sum_ / 2,
            sum_**2 / squares if squares else inf,
            is_assumed=any(each.is_assumed for each in parts),
        )


ASSUMED_BETWEEN_SESSIONS = SessionVariance(SESSION_SD.value**2, inf, is_assumed=True)
"""The variance of a machine whose variance between sessions was never measured."""


def mean_interval(values: Sequence[float]) -> Figure:
    """Return the arithmetic mean of values that cannot be negative; no interval below two values."""
    return _mean(float(np.mean(values)), np.asarray(values, float))


def ratio_interval(parts: Sequence[float], wholes: Sequence[float]) -> Figure:
    """Return the sum of `parts` by the sum of `wholes`; no interval below two pairs.

    The parts of one pair belong to its whole, as the response times of an interval to its transactions;
    neither can be negative, and not all wholes can be 0. Variance by linearisation (W. G. Cochran,
    "Sampling Techniques", 3rd edition, chapter 6).
    """
    parts_, wholes_ = np.asarray(parts, float), np.asarray(wholes, float)
    ratio = float(parts_.sum() / wholes_.sum())
    return _mean(ratio, (parts_ - ratio * wholes_) / wholes_.mean())


def _mean(value: float, values: np.ndarray) -> Figure:
    """Return `value` with the standard error of the mean of `values`, which may be apart from it."""
    n = len(values)
    if n < 2:
        return Figure(value=value, n=n)
    return Figure.estimated(value, float(values.std(ddof=1)) / sqrt(n), n - 1.0, n, "mean")


def log_interval(
    values: Sequence[float],
    kind: Kind = "runs",
    about: float | None = None,
    spread: Spread | None = None,
) -> Figure:
    """Return the geometric mean of values from 0 on, or another mean of theirs that the interval is `about`.

    `kind` is `sequence` if they were counted by looking at them. No interval below two values or at 0.
    `spread` is known from more than these values.
    """
    n, value = len(values), geometric_mean(values) if about is None else about
    if n < 2 or min(values) <= 0:
        return Figure(value=value, n=n, kind=kind)
    known = spread or spread_of(values)
    return Figure.estimated(value, sqrt(known.variance / n), known.freedom, n, kind)


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean of values from 0 on; exactly their value if all are the same."""
    if min(values) <= 0:
        return 0.0
    return float(np.clip(np.exp(np.log(np.asarray(values, float)).mean()), min(values), max(values)))


def log_welch(
    values: Sequence[float], base: Sequence[float], sessions: SessionVariance | None = None
) -> Figure:
    """Return the ratio of the geometric means of independent runs, by Welch's t test on logarithms.

    Degrees of freedom after Welch and Satterthwaite. No interval unless both sides have `LEAST_RUNS`; all
    values must be positive. Where both sides were measured in `sessions` of their own, the variance between
    those is in the interval too. Simulated coverage 0.94 to 0.96 (see tests/judge/test_interval.py).
    """
    a, b = np.log(np.asarray(values, float)), np.log(np.asarray(base, float))
    n = min(len(a), len(b))
    parts = [
        (float(side.var(ddof=1)) / len(side), len(side) - 1.0) for side in (a, b) if n >= LEAST_RUNS.value
    ]
    return _ratio(float(a.mean() - b.mean()), parts, n, "runs", sessions)


def paired_ratio(pairs: Pairs, sessions: SessionVariance | None = None, *, looked: bool = False) -> Figure:
    """Return the ratio of pairs of runs: of neighbours in time, which drift of the machine does not touch, or
    of runs that drew the same random numbers.

    With a drift that is common to both this gives ± 1.65 % where `log_welch` gives ± 5.7 %. No interval
    below `LEAST_RUNS` pairs. `sessions` as for `log_welch`. `looked`: the number of pairs was decided while
    they were looked at; the interval then holds at every number of pairs at once, and p at any time.
    """
    fit, n = pairs.model(looked=looked), len(pairs.values)
    value, error = fit.difference.value, fit.difference.error
    if looked and n >= LEAST_RUNS.value:
        return Figure.estimated(exp(value), error, fit.freedom, n, "sequence", information=fit.information)
    parts = [(error**2, fit.freedom)] if n >= LEAST_RUNS.value else []
    return _ratio(value, parts, n, "sequence" if looked else "pairs", sessions, fit.information)


def wilson_interval(share: float, n: int) -> Figure:
    """Return a share of `n` observations with Wilson's score interval; 0 to 1 without any."""
    if n <= 0:
        return Figure(value=share, low=0.0, high=1.0, n=n)
    z = normal_quantile((1 + CONFIDENCE.value) / 2)
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return Figure(value=share, low=max(centre - half, 0.0), high=min(centre + half, 1.0), n=n)


def _ratio(
    difference: float,
    parts: list[tuple[float, float]],
    n: int,
    kind: Kind,
    sessions: SessionVariance | None,
    information: float | None = None,
) -> Figure:
    """Return the ratio whose logarithm has these independent parts of variance, each with its degrees of
    freedom (put together after Satterthwaite); without an interval if there are none."""
    if not parts:
        return Figure(value=exp(difference), n=n, kind=kind, information=information)
    between = 2 * sessions.variance if sessions is not None else 0.0
    if sessions is not None and between > 0:
        parts = [*parts, (between, sessions.freedom)]
    variance = sum(part for part, _ in parts)
    # Runs that agree to the last digit have no variance: then the interval has no width.
    squares = sum(part**2 / its_freedom for part, its_freedom in parts)
    freedom = variance**2 / squares if squares else inf
    return Figure.estimated(exp(difference), sqrt(variance), freedom, n, kind, sqrt(between), information)
