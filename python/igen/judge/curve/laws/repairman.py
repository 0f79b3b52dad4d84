"""The machine repairman M/M/c//N: N users think, and c servers serve them in the order of their coming.

The probability of k users at the servers is that of a birth and death process with the rates (N - k) / Z and
min(k, c) / s (D. Gross and C. Harris, "Fundamentals of Queueing Theory", chapter "Finite-source queues").
Below and above k = c its sum has a closed form of the same kind as Erlang's B,

    Σ p(k ≤ c) / p(c) = ∫ e^-u (1 + (1 - e^(-u / (N - c))) / r)^c du,   r = s / Z
    Σ p(k ≥ c) / p(c) = ∫ e^-u (1 + u r / c)^(N - c) du

over u from 0 to infinity. The logarithm of each integrand is concave, so a quadrature of 20 points on
each side of its summit has eight digits for any number of users, and N and c need not be whole.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from igen.judge.curve.laws.families import Law, Values, grid, quadrature, rate
from igen.judge.trust.rules.numerics import FEW_POINTS, LITTLE, MOST_LOG, SUMMIT_SD, TAIL, USERS_STEP

NAME = "machine repairman"
_NODES, _SHARES = quadrature(FEW_POINTS)
_LEAST_WAITING = LITTLE
"""Users beyond the number of servers; with fewer nobody waits."""


def repairman(think_s: float) -> Law:
    """Return the law of users who think for `think_s` on average; ln λ = -ln s is what a server does."""
    return Law(
        NAME,
        ("ln λ", "ln c"),
        (-MOST_LOG, 0.0),
        (MOST_LOG, MOST_LOG),
        (0, 0),
        partial(_log_throughput, think_s=think_s),
        _starts,
    )


def throughput(users: Values, service_s: Values, servers: Values, think_s: float) -> Values:
    """Return X(N) of users who think; the arrays have a common shape."""
    waiting = users - servers
    m, r = np.maximum(waiting, _LEAST_WAITING), service_s / think_s
    # Both sums over p(c), of which the larger is 1.
    below, above = _below(m, servers, r), _above(m, servers, r)
    largest = np.maximum(below, above)
    below, above, once = (np.exp(each - largest) for each in (below, above, np.zeros_like(largest)))
    busy = r * (users * below - m * once) / (1 + r) + servers * (above - once)
    found: Values = np.where(
        waiting > _LEAST_WAITING,
        busy / (service_s * (below + above - once)),
        users / (service_s + think_s),
    )
    return found


def _below(m: Values, c: Values, r: Values) -> Values:
    summit = np.maximum(m * np.log((1 + c / m) / (1 + r)), 0.0)
    return _log_integral(
        lambda u: -u + _last(c) * np.log1p(-np.expm1(-u / _last(m)) / _last(r)),
        summit,
        np.sqrt(c * m / (c + m)),
    )


def _above(m: Values, c: Values, r: Values) -> Values:
    return _log_integral(
        lambda u: -u + _last(m) * np.log1p(u * _last(r / c)), np.maximum(m - c / r, 0.0), np.sqrt(m)
    )


def _log_integral(log_of: Callable[[Values], Values], summit: Values, width: Values) -> Values:
    """Return the logarithm of an integral from 0 to infinity, in two parts that meet at the summit."""
    left = summit - np.maximum(summit - SUMMIT_SD * width, 0.0)
    right = SUMMIT_SD * width + TAIL
    points = np.concatenate(
        [_last(summit) - _last(left) * _NODES, _last(summit) + _last(right) * _NODES], axis=-1
    )
    shares = np.concatenate([_last(left) * _SHARES, _last(right) * _SHARES], axis=-1)
    logs = log_of(points)
    largest = logs.max(axis=-1)
    total: Values = largest + np.log((np.exp(logs - _last(largest)) * shares).sum(axis=-1))
    return total


def _last(values: Values) -> Values:
    return values[..., None]


def _log_throughput(n: Values, x: Values, p: Values, think_s: float) -> Values:
    """Return ln X with n users at the servers, next to a measured throughput x of N = n + Z x users.

    The law gives X of N users. Because N = n + Z X, a difference of ln X at the same n is 1 / (1 - Z dX/dN)
    times the difference at the same N.
    """
    service_s, servers, at = np.broadcast_arrays(np.exp(-p[:, :1]), np.exp(p[:, 1:2]), n)
    if not think_s:
        unhindered: Values = np.log(np.minimum(at, servers) / service_s)
        return unhindered
    users = n + think_s * x
    by_law, of_more = (
        throughput(each, service_s, servers, think_s) for each in (users, (1 + USERS_STEP) * users)
    )
    waiting = 1 - think_s * (of_more - by_law) / (USERS_STEP * users)
    found: Values = np.log(x) + np.log(by_law / x) / np.maximum(waiting, USERS_STEP)
    return found


def _starts(n: Values, x: Values) -> Values:
    busy = float(np.clip(x.max() * n[0] / x[0], 1.0, n[-1]))
    return grid(rate(n, x), (float(np.log(busy)), float(np.log(busy * n[-1]) / 2)))
