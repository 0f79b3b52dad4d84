"""Scaling laws: throughput X over the concurrency n, each with parameters that mean something.

λ is what one transaction at a time does in a second, in all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from igen.judge.trust.rules.numerics import (
    ABOVE_SEEN,
    HIGH_START,
    LEAST_SHARE,
    LITTLE,
    LOW_START,
    POINTS,
    ROUNDING,
    SHARE_START,
    SHARPEST_LOG,
    SUMMIT_SD,
    TAIL,
)

Values = NDArray[np.float64]
"""Parameters are rows of fits, loads are columns."""


@dataclass(frozen=True, slots=True)
class Law:
    """A law: its function, and where its parameters may lie. The first one is always ln λ."""

    name: str
    parameters: tuple[str, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    powers: tuple[int, ...]
    """A parameter grows as the largest load to minus this power: what is fitted is of the order of 1."""
    log_throughput: Callable[[Values, Values, Values], Values]
    """ln X of loads (m) and parameters (fits, p): (fits, m). The second argument is the measured throughput,
    for a law of the users N = n + Z X."""
    starts: Callable[[Values, Values], Values]
    """From loads and throughputs: parameters (starts, p) to begin the search at."""

    def named(self, parameters: Values) -> dict[str, float]:
        """The parameters of one fit by their names, out of their logarithms."""
        return {
            name.removeprefix("ln "): float(np.exp(value)) if name.startswith("ln ") else float(value)
            for name, value in zip(self.parameters, parameters, strict=True)
        }


def rate(n: Values, x: Values) -> float:
    """Return ln λ at the lowest load."""
    return float(np.log(x[0] / n[0]))


def _universal(n: Values, _x: Values, p: Values) -> Values:
    contention, coherency = p[:, 1:2] * (n - 1), p[:, 2:] * n * (n - 1)
    return p[:, :1] + np.log(n) - np.log(np.maximum(1 + contention + coherency, LITTLE))


def _amdahl(n: Values, _x: Values, p: Values) -> Values:
    return p[:, :1] + np.log(n) - np.log(np.maximum(1 + p[:, 1:2] * (n - 1), LITTLE))


def _capped(n: Values, _x: Values, p: Values) -> Values:
    h = np.exp(p[:, 2:])
    return -np.logaddexp(-h * (p[:, :1] + np.log(n)), -h * p[:, 1:2]) / h


def _queueing(n: Values, _x: Values, p: Values) -> Values:
    # The queue is empty as often as Erlang's loss system of n lines, offered R0 / D, loses a call.
    d = p[:, 1:2]
    lost = _erlang_b(n, (1 - d) / d)
    return p[:, :1] - np.log(d) + np.log1p(-np.minimum(lost, 1 - ROUNDING))


def _erlang_b(n: Values, offered: Values) -> Values:
    """Erlang's B for any number of lines, 1 / B = ∫ e^-u (1 + u / a)^n du, by quadrature."""
    a = np.maximum(offered, LITTLE)
    summit, width = np.maximum(n - a, 0), SUMMIT_SD * np.sqrt(n)
    low, high = np.maximum(summit - width, 0), summit + width + TAIL
    u = low[..., None] + (high - low)[..., None] * _NODES
    log_parts = n[:, None] * np.log1p(u / a[..., None]) - u
    largest = log_parts.max(axis=-1)
    total = (np.exp(log_parts - largest[..., None]) * _SHARES).sum(axis=-1)
    lost: Values = np.exp(-largest) / (total * (high - low))
    return lost


def quadrature(points: int) -> tuple[Values, Values]:
    """Return the points of a Gauss-Legendre quadrature from 0 to 1, and their shares."""
    places, shares = np.polynomial.legendre.leggauss(points)
    return (places + 1) / 2, shares / 2


_NODES, _SHARES = quadrature(POINTS)


def grid(rate: float, *others: tuple[float, ...]) -> Values:
    """Return every combination of the others behind ln λ."""
    mesh = np.meshgrid(*map(np.array, others), indexing="ij")
    return np.stack([np.full(mesh[0].size, rate), *(each.ravel() for each in mesh)], axis=1)


AMDAHL = Law(
    "Amdahl",
    ("ln λ", "σ"),
    (-np.inf, 0.0),
    (np.inf, 1.0),
    (0, 1),
    _amdahl,
    lambda n, x: grid(rate(n, x), (LOW_START / n[-1], 2 / n[-1])),
)
"""X = λ n / (1 + σ (n - 1)): σ is the share that is done one after another (G. Amdahl, 1967)."""
UNIVERSAL = Law(
    "USL",
    ("ln λ", "σ", "κ"),
    (-np.inf, 0.0, 0.0),
    (np.inf, 1.0, 1.0),
    (0, 1, 2),
    _universal,
    lambda n, x: grid(rate(n, x), (LOW_START / n[-1], 2 / n[-1]), (LOW_START / n[-1] ** 2, 2 / n[-1] ** 2)),
)
"""X = λ n / (1 + σ (n - 1) + κ n (n - 1)): κ is what each pair costs (N. Gunther, "Guerrilla Capacity
Planning", 2007)."""
CAPPED = Law(
    "capped linear",
    ("ln λ", "ln Xm", "ln h"),
    (-np.inf, -np.inf, 0.0),
    (np.inf, np.inf, SHARPEST_LOG),
    (0, 0, 0),
    _capped,
    lambda n, x: grid(rate(n, x), (float(np.log(ABOVE_SEEN * x.max())),), (SHARE_START, HIGH_START)),
)
"""X = ((λ n)^-h + Xm^-h)^(-1/h): linear up to what the bottleneck does, the larger h the
sharper."""
QUEUEING = Law(
    "queueing",
    ("ln λ", "d"),
    (-np.inf, LEAST_SHARE),
    (np.inf, 1.0),
    (0, 0),
    _queueing,
    lambda n, x: grid(rate(n, x), (min(1.0, float(x[0] / n[0] / x.max())), SHARE_START)),
)
"""A closed queue: the share d of a transaction's time in the system is spent at the bottleneck, so that
X ≤ λ / d, the rest where nobody waits (exact for exponential times). Several servers are a faster one and a
delay, after Seidmann."""
