"""A straight line through a few figures: what is fixed, and what grows with the load."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from igen.judge.figure.figure import Figure
from igen.judge.figure.student import t_critical
from igen.judge.trust.rules.curve import LEAST_POINTS_OF_LINE
from igen.judge.trust.rules.statistics import CONFIDENCE


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """y = a + b x by least squares, with the 95 % intervals of a and b; `n` is the number of points."""

    fixed: Figure
    """a."""
    slope: Figure
    """b."""


def line_through(xs: Sequence[float], ys: Sequence[float]) -> Line | None:
    """Return the line through these points; None if fewer than three of them have different x.

    Intervals by Student's t with n - 2 degrees of freedom (N. R. Draper and H. Smith, "Applied Regression
    Analysis", 3rd edition, chapter 1). What does not lie on a line makes them wider.
    """
    x, y = np.asarray(xs, float), np.asarray(ys, float)
    n = len(x)
    if len({*xs}) < LEAST_POINTS_OF_LINE.value:
        return None
    centred = x - x.mean()
    power = float(centred @ centred)
    slope = float(centred @ y) / power
    fixed = float(y.mean() - slope * x.mean())
    residuals = y - fixed - slope * x
    error = float(np.sqrt(residuals @ residuals / (n - 2)))
    critical = t_critical(n - 2, (1 - CONFIDENCE.value) / 2)
    half_slope = critical * error / sqrt(power)
    half_fixed = critical * error * float(np.sqrt(1 / n + x.mean() ** 2 / power))
    return Line(fixed=_within(fixed, half_fixed, n), slope=_within(slope, half_slope, n))


def _within(value: float, half: float, n: int) -> Figure:
    return Figure(value=value, low=value - half, high=value + half, n=n)
