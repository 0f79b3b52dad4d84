"""Questions to the judge with known data."""

from __future__ import annotations

from igen.judge.compare.answers import Asked
from igen.judge.figure.interval import paired_ratio
from igen.judge.figure.pairs import Pairs

BASE = [100.0] * 5
STEPS = [1.0, -1.0, 0.5, -0.5, 0.0]


def asked(
    factor: float,
    spread: float = 1.0,
    bounds: tuple[float, float] = (0.0, 0.0),
    **rest: object,
) -> Asked:
    """Whether a system whose five values are `factor` of those of `BASE` on average differs from it."""
    values = [factor * (100 + spread * step) for step in STEPS]
    ratio = paired_ratio(Pairs(values=values, base=BASE)).disturbed(bounds)
    return Asked(ratio=ratio, **rest)  # type: ignore[arg-type]
