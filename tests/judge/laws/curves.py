"""Curves whose truth is known: of the families of laws, and of none of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from igen.judge.curve.laws.curve import CurveLevel, ScalingCurve, curve_through

Truth = Callable[[np.ndarray], np.ndarray]
LEVELS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
DOUBLING = (1, 2, 4, 8, 16, 32, 64, 128)


def universal(n: np.ndarray) -> np.ndarray:
    return 100 * n / (1 + 0.03 * (n - 1) + 0.0002 * n * (n - 1))


def saturated(n: np.ndarray) -> np.ndarray:
    """Exact mean value analysis of four servers by a queue four times as fast and a delay."""
    queue, x, found = 0.0, 0.0, {}
    for users in range(1, int(n.max()) + 1):
        x = users / (0.0075 + 0.0025 * (1 + queue))
        queue = x * 0.0025 * (1 + queue)
        found[users] = x
    return np.array([found[int(each)] for each in n])


def two_humps(n: np.ndarray) -> np.ndarray:
    """A cache that thrashes from 12 users on, and a pool that opens its second half from 40 on."""
    first = 100 * n / (1 + (n / 12) ** 2.2)
    return first + 14 * n / (1 + np.exp(-(n - 40) / 6)) / (1 + (n / 80) ** 2.5)


def numa_step(n: np.ndarray) -> np.ndarray:
    """Beyond the first socket's 16 threads each access may go to the other one."""
    return 100 * n / (1 + 0.004 * (n - 1)) * np.where(n > 16, 0.62, 1.0)


def lock_convoy(n: np.ndarray) -> np.ndarray:
    """A lock that is handed over awake up to 20 users, and through the scheduler beyond."""
    return np.where(n <= 20, 100 * np.minimum(n, 18), 650 + 1.2 * n)


FAMILY = {"universal": universal, "saturated": saturated}
NO_FAMILY = {"two humps": two_humps, "NUMA step": numa_step, "lock convoy": lock_convoy}


def measured(
    truth: Truth,
    seed: int,
    levels: Sequence[int] = LEVELS,
    noise: float = 0.02,
    runs: int = 5,
    think_s: float = 0.0,
) -> ScalingCurve:
    """The curve as so many runs of each level tell it."""
    rng = np.random.default_rng(seed)
    found = []
    for users in levels:
        true_x = (
            float(truth(np.array([float(users)]))[0]) if not think_s else _thinking(truth, users, think_s)
        )
        times = (users / true_x - think_s) * np.exp(rng.normal(0, noise, runs))
        rates = users / (times + think_s)
        found.append(
            CurveLevel(
                users=users,
                throughput_per_s=float(rates.mean()),
                response_s=float(np.exp(np.log(times).mean())),
                error=float(np.log(rates).std(ddof=1) / runs**0.5) if runs > 1 else None,
                response_error=float(np.log(times).std(ddof=1) / runs**0.5) if runs > 1 else None,
            )
        )
    return curve_through("shop", "transactions", found)


def _thinking(truth: Truth, users: float, think_s: float) -> float:
    low, high = 0.0, float(users)
    for _ in range(60):
        n = (low + high) / 2
        x = float(truth(np.array([n]))[0]) if n else 0.0
        low, high = (n, high) if n + think_s * x <= users else (low, n)
    return (users - low) / think_s
