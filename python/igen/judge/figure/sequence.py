"""Always-valid inference: intervals that may be looked at after each run, and stopped by, at no cost.

The t-test's mixture martingale: the ratio of the likelihood of t under a normal prior on the effect size to
that under "no effect", with the right Haar prior on the standard deviation. Under "no effect" it is a
martingale that begins at 1, so it ever exceeds 1/alpha with a probability of at most alpha (Ville's
inequality), however often one looks. T. L. Lai, "On confidence sequences", Annals of Statistics 4 (1976);
H. Wang and A. Ramdas, "Anytime-valid t-tests and confidence sequences for Gaussian means with unknown
variance", Sequential Analysis 44 (2025).

Of pairs whose order is known the effect of going first is taken out as well: with a flat prior on it the test
is invariant to it, so the error rate holds however large it is (M. Lindon, D. W. Ham, M. Tingley and I.
Bojinov, "Anytime-Valid Linear Models and Regression Adjusted Causal Inference in Randomized Experiments",
arXiv:2210.08589, 2022). The martingale is ((1 + t² / ν) / (1 + t² / (ν s)))^((ν + 1) / 2) / √s, with ν
degrees of freedom (n - 1, or n - 2 if the order is known) and s = 1 + n times the prior variance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf, log, log1p

import numpy as np

from igen.judge.figure.estimate import Estimate
from igen.judge.figure.interval import (
    CONFIDENCE,
    LEAST_RUNS,
    PRIOR_VARIANCE,
    Quotient,
    critical_of,
    quotient_of,
)
from igen.judge.figure.pair_model import fit_pairs, log_ratios
from igen.judge.result import Level, Times


def p_of_sequence(n: float, t: float, freedom: float) -> float:
    """The always-valid p-value of "the mean is 0": one over the martingale, at most 1.

    `n` values, or what n pairs in balanced order are worth.
    """
    if freedom < 1:
        return 1.0
    spread = 1 + n * PRIOR_VARIANCE
    squared = t * t / freedom
    log_martingale = (freedom + 1) / 2 * (log1p(squared) - log1p(squared / spread)) - log(spread) / 2
    return float(np.exp(-max(log_martingale, 0.0)))


def paired_sequence(
    values: Sequence[float], base: Sequence[float], first: Sequence[float] | None = None
) -> Quotient:
    """Ratio from pairs of runs whose number was decided while they were looked at.

    As `paired_log_t`, but the interval holds at every number of pairs at once, and p at any time. The order
    is in the model from the first pairs on: one martingale cannot change its model on the way.
    """
    n = len(values)
    fit = fit_pairs(log_ratios(values, base), first, least=LEAST_RUNS)
    mean, error = fit.difference.value, fit.difference.error
    if n < LEAST_RUNS:
        return Quotient(Estimate(value=float(np.exp(mean)), n=n), None, kind="sequence", fit=fit)
    p = p_of_sequence(fit.information, mean / error, fit.freedom) if error else 1.0 if mean == 0 else 0.0
    return quotient_of("sequence", mean, error, n, fit.freedom, p, fit=fit)


def half_width_of_sequence(values: Sequence[float]) -> float:
    """Half the width of the confidence sequence of the mean of ln x: 0.02 is about ± 2 %; infinite below two
    values or at 0."""
    if len(values) < 2 or min(values) <= 0:
        return inf
    logs = np.log(np.asarray(values, float))
    error = float(logs.std(ddof=1) / np.sqrt(len(logs)))
    return critical_of("sequence", len(logs), len(logs) - 1.0, 1 - CONFIDENCE) * error if error else 0.0


def always_valid(level: Level) -> Level:
    """The level with confidence sequences for intervals: they hold although its repeats were counted by
    looking at them."""
    runs = [run for run in level.repeats if run.used]
    return replace(
        level,
        throughput_per_s=widened(level.throughput_per_s, [run.throughput_per_s for run in runs]),
        response_time_ms=_widened_times(level.response_time_ms, [run.response_time_ms for run in runs]),
        loads={name: always_valid(part) for name, part in level.loads.items()},
    )


def _widened_times(times: Times | None, of_runs: Sequence[Times | None]) -> Times | None:
    if times is None:
        return None
    found = [each for each in of_runs if each is not None]
    mean, p99 = times.mean_interval, times.p99_interval
    return replace(
        times,
        mean_interval=mean and widened(mean, [each.mean for each in found]),
        p99_interval=p99 and widened(p99, [each.p99 for each in found]),
    )


def widened(estimate: Estimate, values: Sequence[float]) -> Estimate:
    """The mean of these values with their confidence sequence for its interval; without one where they are
    too few."""
    half = half_width_of_sequence(values)
    if not half < inf:
        return replace(estimate, low=None, high=None)
    low, high = (estimate.value * float(np.exp(end)) for end in (-half, half))
    return replace(estimate, low=low, high=high)
