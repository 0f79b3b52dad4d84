"""Intervals (95 %) on means and ratios of runs, and Holm's correction.

The run is the unit of inference: intervals within a run are correlated, so pooling the intervals of several
runs covers the truth in 30 % of studies instead of 95 %. Throughputs and times are positive and their errors
multiply, so ratios are compared as logarithms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import Literal

import numpy as np

from igen.judge.compare.ratio import PairOrder
from igen.judge.figure.against import Side, against
from igen.judge.figure.pair_model import PairFit, fit_pairs, log_ratios
from igen.judge.figure.student import normal_quantile, t_critical, t_tail
from igen.judge.result import Estimate

CONFIDENCE = 0.95
FAMILY_ERROR = 1 - CONFIDENCE
"""Probability that any difference that a comparison claims is none."""
LEAST_RUNS = 3
"""Runs of each side that the interval of a ratio needs."""
PRIOR_VARIANCE = 10.0
"""Prior variance of the effect size behind a sequence, in variances of a run: it gives the narrowest
intervals at 4 to 20 runs."""


Kind = Literal["runs", "pairs", "sequence"]
"""What a ratio is made of: independent runs, pairs, or pairs whose number was decided by looking."""


@dataclass(frozen=True, slots=True)
class Quotient:
    """A ratio of two systems with its interval, the p-value of "it is 1", and what both rest on."""

    ratio: Estimate
    p: float | None
    error: float | None = None
    """Standard error of the logarithm; None without an interval."""
    session_error: float = 0.0
    """The part of it (in squares) that is between sessions, which more repeats do not make smaller."""
    freedom: float = float("inf")
    """Degrees of freedom."""
    kind: Kind = "runs"
    fit: PairFit | None = None
    """The model behind it, of pairs."""
    bounds: tuple[float, float] = (0.0, 0.0)
    """How far disturbance may have moved the logarithm: 0 or less, 0 or more."""

    def critical(self, alpha: float) -> float:
        """Half the width, in standard errors, of the interval that misses the truth in a share `alpha`."""
        return critical_of(self.kind, self.information, self.freedom, alpha)

    @property
    def information(self) -> float:
        """Number of runs of each side, or of pairs in balanced order, that would know as much."""
        return self.ratio.n if self.fit is None else self.fit.information

    @property
    def order(self) -> PairOrder | None:
        """System executed first, and the effect of going first; None if unknown or if these are not pairs."""
        if self.fit is None or self.fit.system_first is None:
            return None
        effect, first_over_second = self.fit.going_first, None
        if effect is not None and self.p is not None:
            test = quotient_of(self.kind, effect.value, effect.error, self.ratio.n, self.fit.freedom, 1.0)
            first_over_second = test.ratio
        return PairOrder(
            pairs=self.ratio.n, system_first=self.fit.system_first, first_over_second=first_over_second
        )

    def untested(self) -> Quotient:
        """The same value where an interval would not be honest."""
        value = Estimate(value=self.ratio.value, n=self.ratio.n)
        return Quotient(value, None, fit=self.fit, bounds=self.bounds)

    def no_narrower(self, half: float) -> Quotient:
        """The same with a 95 % interval of ln ratio, where there is one, that reaches at least that far on
        both sides. It keeps its degrees of freedom: no interval of another confidence is narrower either."""
        critical = self.critical(1 - CONFIDENCE)
        if self.p is None or self.error is None or critical == inf or critical * self.error >= half:
            return self
        error, difference = half / critical, float(np.log(self.ratio.value))
        p = max(self.p, 2 * t_tail(self.freedom, abs(difference) / error))
        wider = quotient_of(
            self.kind, difference, error, self.ratio.n, self.freedom, p, self.session_error, self.fit
        )
        return replace(wider, bounds=self.bounds)

    @property
    def disturbance(self) -> float:
        """How far disturbance may have moved the logarithm, by the direction in which it is more."""
        return max(-self.bounds[0], self.bounds[1])

    def log_ends(self, error: float, sides: Literal[1, 2] = 2) -> tuple[float, float] | None:
        """Return the ends of an interval of ln ratio, moved by the bounds; None without an interval.

        It misses the truth in a share `error`; with `sides=1` each end alone does.
        """
        if self.error is None:
            return None
        half = self.critical(error * 2 / sides) * self.error if self.error else 0.0
        logarithm = float(np.log(self.ratio.value))
        return logarithm - half + self.bounds[0], logarithm + half + self.bounds[1]

    def against(
        self, least: float, most: float, *, error: float = FAMILY_ERROR, sides: Literal[1, 2] = 2
    ) -> Side:
        """Return the side of two limits of ln ratio on which it is, whatever disturbed it; the answer is
        wrong in a share `error`. With `sides=1` each limit is a question of its own."""
        return against(self.log_ends(error, sides), least, most)


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


ASSUMED_BETWEEN_SESSIONS = SessionVariance(0.04**2, inf, is_assumed=True)
"""What is taken for a machine whose own variance between sessions was never measured.

A standard deviation of 4 %: of identical runs measured one after the other under such a drift, 31 % are
claimed different from 3 runs a side and 97 % from 10, if nothing of it is in the interval.
"""


def mean_interval(values: Sequence[float]) -> Estimate:
    """Arithmetic mean with Student's t interval, of values that cannot be negative; none below two values."""
    return _estimate_from_zero(float(np.mean(values)), np.asarray(values, float))


def lowered_for_choice(figure: Estimate, among: int, kind: Kind) -> Estimate:
    """Return the figure of the highest of `among` means, its lower end moved down for the choice.

    The lower end holds for all of them at once (Bonferroni): t at 1 - 0.025 / `among` instead of 0.975. The
    upper end stays: a figure that flatters is rarely too low.
    """
    if figure.low is None or among == 1:
        return figure
    farther, near = (critical_of(kind, figure.n, figure.n - 1.0, (1 - CONFIDENCE) / of) for of in (among, 1))
    reach = figure.value - figure.low
    return replace(figure, low=max(figure.value - reach * farther / near, 0.0) if reach else figure.low)


def ratio_interval(parts: Sequence[float], wholes: Sequence[float]) -> Estimate:
    """Sum of `parts` by the sum of `wholes` with Student's t interval; none below two pairs.

    The parts of one pair belong to its whole, as the response times of an interval to its transactions;
    neither can be negative, and not all wholes can be 0. Variance by linearisation (W. G. Cochran,
    "Sampling Techniques", 3rd edition, chapter 6).
    """
    parts_, wholes_ = np.asarray(parts, float), np.asarray(wholes, float)
    ratio = float(parts_.sum() / wholes_.sum())
    return _estimate_from_zero(ratio, ratio + (parts_ - ratio * wholes_) / wholes_.mean())


def log_interval(values: Sequence[float]) -> Estimate:
    """Geometric mean of positive values with the t interval of their logarithms: of times."""
    logs = np.log(np.asarray(values, float))
    low, high = _t_interval(logs)
    value = geometric_mean(values)
    # Rounding must not put the value outside of an interval without width.
    return Estimate(
        value=value,
        low=None if low is None else min(float(np.exp(low)), value),
        high=None if high is None else max(float(np.exp(high)), value),
        n=len(values),
    )


def geometric_mean(values: Sequence[float]) -> float:
    """Geometric mean of positive values; exactly their value where all are the same."""
    return float(np.clip(np.exp(np.log(np.asarray(values, float)).mean()), min(values), max(values)))


def half_width_of_log(values: Sequence[float]) -> float:
    """Half the width of the t interval on ln x: 0.02 is about ± 2 %; infinite below two values or at 0."""
    if len(values) < 2 or min(values) <= 0:
        return float("inf")
    low, high = _t_interval(np.log(np.asarray(values, float)))
    return float("inf") if low is None or high is None else (high - low) / 2


def log_welch(
    values: Sequence[float], base: Sequence[float], sessions: SessionVariance | None = None
) -> Quotient:
    """Ratio of the geometric means of independent runs, by Welch's t test on logarithms.

    Degrees of freedom after Welch and Satterthwaite. No interval unless both sides have `LEAST_RUNS`; all
    values must be positive. Where both sides were measured in `sessions` of their own, the variance between
    those is in the interval too. Simulated coverage 0.94 to 0.96 (see tests/judge/test_interval.py).
    """
    a, b = np.log(np.asarray(values, float)), np.log(np.asarray(base, float))
    n = min(len(a), len(b))
    parts = [(float(side.var(ddof=1)) / len(side), len(side) - 1.0) for side in (a, b) if n >= LEAST_RUNS]
    return _from_parts("runs", float(a.mean() - b.mean()), parts, n, sessions)


def paired_log_t(
    values: Sequence[float],
    base: Sequence[float],
    sessions: SessionVariance | None = None,
    first: Sequence[float] | None = None,
) -> Quotient:
    """Ratio from pairs of runs: of neighbours in time, which drift of the machine does not touch, or of runs
    that drew the same random numbers.

    With a drift that is common to both this gives ± 1.65 % where `log_welch` gives ± 5.7 %. No interval
    below `LEAST_RUNS` pairs. `sessions` as for `log_welch`. `first` is 1 for a pair whose value was measured
    before its base, -1 for the others (see `pair_model`).
    """
    fit = fit_pairs(log_ratios(values, base), first)
    n = len(values)
    parts = [(fit.difference.error**2, fit.freedom)] if n >= LEAST_RUNS else []
    return _from_parts("pairs", fit.difference.value, parts, n, sessions, fit)


def wilson_interval(share: float, n: int) -> tuple[float, float]:
    """Wilson's score interval of a proportion `share` seen in `n` observations; 0 to 1 without any."""
    if n <= 0:
        return 0.0, 1.0
    z = normal_quantile((1 + CONFIDENCE) / 2)
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * (share * (1 - share) / n + z * z / (4 * n * n)) ** 0.5
    return max(centre - half, 0.0), min(centre + half, 1.0)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment of the p-values of a family of tests, in the order given."""
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        largest = max(largest, min(1.0, p_values[index] * (len(p_values) - rank)))
        adjusted[index] = largest
    return adjusted


def _estimate_from_zero(value: float, values: np.ndarray) -> Estimate:
    """`value` with the interval of the mean of `values`, which does not go below 0."""
    low, high = _t_interval(values)
    return Estimate(
        value=value,
        low=None if low is None else max(min(low, value), 0.0),
        high=None if high is None else max(high, value),
        n=len(values),
    )


def _t_interval(values: np.ndarray) -> tuple[float | None, float | None]:
    n = len(values)
    if n < 2:
        return None, None
    half = t_critical(n - 1, (1 - CONFIDENCE) / 2) * values.std(ddof=1) / np.sqrt(n)
    return float(values.mean() - half), float(values.mean() + half)


def critical_of(kind: Kind, n: float, freedom: float, alpha: float) -> float:
    """Half the width of an interval in standard errors, of n pairs or of n runs a side; infinite where so few
    can never tell.

    Of a sequence: the t-test's mixture martingale, see `sequence`.
    """
    if kind != "sequence":
        return t_critical(freedom, alpha / 2)
    if freedom < 1:
        return inf
    spread = 1 + n * PRIOR_VARIANCE
    threshold = (sqrt(spread) / alpha) ** (2 / (freedom + 1))
    return sqrt(freedom * (threshold - 1) / (1 - threshold / spread)) if threshold < spread else inf


def quotient_of(
    kind: Kind,
    difference: float,
    error: float,
    n: int,
    freedom: float,
    p: float,
    session_error: float = 0.0,
    fit: PairFit | None = None,
) -> Quotient:
    """The quotient whose logarithm is `difference`, with its 95 % interval."""
    information = n if fit is None else fit.information
    half = critical_of(kind, information, freedom, 1 - CONFIDENCE) * error if error else 0.0
    ratio = Estimate(value=float(np.exp(difference)), n=n)
    if half < inf:
        low, high = float(np.exp(difference - half)), float(np.exp(difference + half))
        ratio = Estimate(value=ratio.value, low=low, high=high, n=n)
    return Quotient(ratio, p, error, session_error, freedom, kind, fit)


def _from_parts(
    kind: Kind,
    difference: float,
    parts: list[tuple[float, float]],
    n: int,
    sessions: SessionVariance | None,
    fit: PairFit | None = None,
) -> Quotient:
    """The quotient whose logarithm has these independent parts of variance, each with its degrees of freedom
    (put together after Satterthwaite); without an interval where there are none."""
    if not parts:
        return Quotient(Estimate(value=float(np.exp(difference)), n=n), None, kind=kind, fit=fit)
    between = 2 * sessions.variance if sessions is not None else 0.0
    if sessions is not None and between > 0:
        parts = [*parts, (between, sessions.freedom)]
    variance = sum(part for part, _ in parts)
    if variance == 0:
        # Runs that agree to the last digit: the interval has no width.
        return quotient_of(kind, difference, 0.0, n, inf, 1.0 if difference == 0 else 0.0, fit=fit)
    squares = sum(part**2 / its_freedom for part, its_freedom in parts)
    freedom = variance**2 / squares if squares else inf
    p = 2 * t_tail(freedom, abs(difference) / sqrt(variance))
    return quotient_of(kind, difference, sqrt(variance), n, float(freedom), p, sqrt(between), fit)


def _exp(value: float | None) -> float | None:
    return None if value is None else float(np.exp(value))
