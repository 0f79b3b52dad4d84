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

from math import exp, inf, log, log1p, sqrt

from igen.judge.trust.rules.comparison import PRIOR_VARIANCE


def p_of_sequence(n: float, t: float, freedom: float) -> float:
    """Return the always-valid p-value of "the mean is 0": one over the martingale, at most 1.

    `n` values, or what n pairs in balanced order are worth.
    """
    if freedom < 1:
        return 1.0
    spread = 1 + n * PRIOR_VARIANCE.value
    squared = t * t / freedom
    log_martingale = (freedom + 1) / 2 * (log1p(squared) - log1p(squared / spread)) - log(spread) / 2
    return exp(-max(log_martingale, 0.0))


def critical_of_sequence(n: float, freedom: float, error: float) -> float:
    """Return the t at which that p-value is `error`; infinite if so few can never tell."""
    if freedom < 1:
        return inf
    spread = 1 + n * PRIOR_VARIANCE.value
    threshold = (sqrt(spread) / error) ** (2 / (freedom + 1))
    return sqrt(freedom * (threshold - 1) / (1 - threshold / spread)) if threshold < spread else inf
