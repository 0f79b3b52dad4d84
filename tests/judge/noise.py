"""Throughputs by interval whose truth is known: what a level may do, and what must be told of it."""

from __future__ import annotations

import numpy as np

INTERVALS = 50
LEVEL = 100.0


def autoregressive(
    random: np.random.Generator, runs: int, length: int, correlation: float = 0.0
) -> np.ndarray:
    """Autoregressive noise of first order, variance 1, a row a run."""
    values = random.standard_normal((runs, length + 30))
    for t in range(1, length + 30):
        values[:, t] = correlation * values[:, t - 1] + np.sqrt(1 - correlation**2) * values[:, t]
    return values[:, 30:]


class Series:
    """Makes series of 50 intervals around 100, from one seed."""

    def __init__(self, seed: int, runs: int) -> None:
        self.random = np.random.default_rng(seed)
        self.runs = runs
        self.time = np.linspace(0, 1, INTERVALS)

    def noise(self, percent: float, correlation: float = 0.0) -> np.ndarray:
        return LEVEL + percent * autoregressive(self.random, self.runs, INTERVALS, correlation)

    def random_walk(self) -> np.ndarray:
        """1 % an interval."""
        steps = 0.01 * self.random.standard_normal((self.runs, INTERVALS))
        return np.asarray(LEVEL * np.exp(np.cumsum(steps, axis=1)))

    def step(self) -> np.ndarray:
        """-20 % from somewhere on, 2 % of noise."""
        series = self.noise(2)
        for row in series:
            row[self.random.integers(5, INTERVALS - 4) :] *= 0.8
        return series

    def drift(self, percent: float, noise_percent: float) -> np.ndarray:
        return self.noise(noise_percent) - percent * self.time

    def outage(self, begin: int | None = None) -> np.ndarray:
        """Nothing for a tenth of the time, anywhere."""
        series = self.noise(2)
        length = INTERVALS // 10
        for row in series:
            at = self.random.integers(0, INTERVALS - length + 1) if begin is None else begin
            row[at : at + length] = 0
        return series

    def warm_up(self, depth: float, intervals: float) -> np.ndarray:
        """Begins `depth` below the level and comes nearer with this time constant, 2 % of noise."""
        middle = np.arange(INTERVALS) + 0.5
        return self.noise(2) - LEVEL * depth * np.exp(-middle / intervals)

    def sawtooth(self, period: float, depth: float) -> np.ndarray:
        """Falls slowly and jumps back, each run at its own phase, 2 % of noise."""
        series = self.noise(2)
        for row in series:
            phase = (np.arange(INTERVALS) + self.random.uniform(0, period)) % period / period
            row *= 1 - depth * (phase - 0.5)
        return series
