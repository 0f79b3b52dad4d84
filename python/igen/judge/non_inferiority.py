"""Non-inferiority: whether a system was shown to be slower by less than a margin."""

from __future__ import annotations

from math import exp, log1p

from igen.judge.answers import Asked
from igen.judge.interval import CONFIDENCE
from igen.judge.ratio import NotSlower


def not_slower(asked: Asked, margin: float) -> NotSlower:
    """The answer of a one-sided t test at 95 % on the logarithm of the ratio, within what disturbance allows.

    Slower by the margin means 1 + margin times as long for the same work: times beyond 1 + margin of the
    base's, or a throughput below 1 / (1 + margin) of it. Where several loads must all be shown not to be
    slower, each is tested at the full 5 %: the claim fails with the weakest of them, so no correction is due
    (an intersection-union test: R. L. Berger, Technometrics 24, 1982).
    """
    ends = asked.test.log_ends(2 * (1 - CONFIDENCE))
    if ends is None:
        return NotSlower(margin_percent=100 * margin, answer="cannot tell", worst=None)
    low, high = ends[0] + asked.bounds[0], ends[1] + asked.bounds[1]
    slowest, fastest = (-high, -low) if asked.less_is_faster else (low, high)
    limit = -log1p(margin)
    return NotSlower(
        margin_percent=100 * margin,
        answer="not slower" if slowest > limit else "slower" if fastest < limit else "cannot tell",
        worst=exp(high if asked.less_is_faster else low),
    )
