"""Non-inferiority: whether a system was shown to be slower by less than a margin."""

from __future__ import annotations

from igen.judge.compare.answers import Asked
from igen.judge.compare.ratio import NotSlower, NotSlowerAnswer


def not_slower(asked: Asked, margin: float) -> NotSlower:
    """The answer of a one-sided t test at 95 % on the logarithm of the ratio, within what disturbance allows.

    Slower by the margin means 1 + margin times as long for the same work: times beyond 1 + margin of the
    base's, or a throughput below 1 / (1 + margin) of it. Where several loads must all be shown not to be
    slower, each is tested at the full 5 %: the claim fails with the weakest of them, so no correction is due
    (an intersection-union test: R. L. Berger, Technometrics 24, 1982).
    """
    limit = 1 + margin if asked.less_is_faster else 1 / (1 + margin)
    side, ends = asked.ratio.against(limit, limit, sides=1), asked.ratio.ends(sides=1)
    answer: NotSlowerAnswer = "cannot tell"
    if side in ("above", "below"):
        answer = "slower" if (side == "above") == asked.less_is_faster else "not slower"
    return NotSlower(
        margin_percent=100 * margin,
        answer=answer,
        worst=None if ends is None else ends[1] if asked.less_is_faster else ends[0],
    )
