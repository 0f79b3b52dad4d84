"""Bounded least squares for many fits of one law at once: levels left out have no weight."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from igen.judge.curve.laws.families import Law, Values
from igen.judge.trust.rules.numerics import (
    FIRST_DAMPING,
    IDLE_STEPS,
    LEAST_DAMPING,
    LESS_DAMPING,
    MORE_DAMPING,
    MOST_DAMPING,
    MOST_STEPS,
    RIDGE,
    SETTLED,
    SETTLED_COST,
    SLOPE_STEP,
)


def fit(
    law: Law, n: Values, x: Values, weights: Values, on: Literal["ln X", "X"] = "ln X"
) -> tuple[Values, Values]:
    """Parameters (fits, p) and the sum of squares of each fit.

    `n`, `x`: concurrency and throughput of the levels, all above 0; `weights`: (fits, levels), not negative.
    The squares are those of ln X, to which each level adds as much as its relative error; those of `X`, which
    others fit, are there to be compared with them. Levenberg's and Marquardt's method, projected on the
    bounds, from several starts.
    """
    scale = float(n.max()) ** -np.array(law.powers, float)
    top = float(x.max())
    starts = law.starts(n, x) / scale
    fits, tries = len(weights), len(starts)
    p = np.tile(starts, (fits, 1))
    root = np.sqrt(np.repeat(weights, tries, axis=0))
    low, high = np.array(law.low) / scale, np.array(law.high) / scale
    wanted = np.log(x) if on == "ln X" else x / top

    def residuals(at: Values) -> Values:
        log_x = law.log_throughput(n, x, at * scale)
        return root * ((log_x if on == "ln X" else np.exp(log_x) / top) - wanted)

    p = np.clip(p, low, high)
    p = _descend(residuals, p, low, high)
    cost = (residuals(p) ** 2).sum(axis=1).reshape(fits, tries)
    best = cost.argmin(axis=1)
    found = p.reshape(fits, tries, -1)[np.arange(fits), best] * scale
    return found, cost.min(axis=1)


def _descend(residuals: Callable[[Values], Values], p: Values, low: Values, high: Values) -> Values:
    """Steps downhill for all rows at once, none of them out of its bounds."""
    damping = np.full((len(p), 1), FIRST_DAMPING)
    r = residuals(p)
    cost = (r * r).sum(axis=1)
    diagonal, idle = np.arange(p.shape[1]), 0
    for _ in range(MOST_STEPS):
        jacobian = np.stack(
            [(residuals(p + step) - r) / SLOPE_STEP for step in SLOPE_STEP * np.eye(p.shape[1])], axis=2
        )
        gradient = np.einsum("blp,bl->bp", jacobian, r)
        normal = np.einsum("blp,blq->bpq", jacobian, jacobian)
        held = ((p <= low) & (gradient > 0)) | ((p >= high) & (gradient < 0))
        gradient = np.where(held, 0.0, gradient)
        normal = np.where(held[:, :, None] | held[:, None, :], 0.0, normal)
        normal[:, diagonal, diagonal] *= 1 + damping
        normal[:, diagonal, diagonal] += np.where(held, 1.0, RIDGE)
        tried = np.clip(p - np.linalg.solve(normal, gradient[:, :, None])[:, :, 0], low, high)
        r_tried = residuals(tried)
        cost_tried = (r_tried * r_tried).sum(axis=1)
        better = cost_tried < cost
        p, r = np.where(better[:, None], tried, p), np.where(better[:, None], r_tried, r)
        gained = np.where(better, cost - cost_tried, 0.0)
        idle = 0 if np.any(gained > SETTLED * cost + SETTLED_COST) else idle + 1
        cost = np.where(better, cost_tried, cost)
        damping = np.clip(
            np.where(better[:, None], damping / LESS_DAMPING, damping * MORE_DAMPING),
            LEAST_DAMPING,
            MOST_DAMPING,
        )
        if idle == IDLE_STEPS:
            break
    return p
