"""Statistics that say how well they are known: a mean with its interval, a distribution of times."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A mean over repeats with its 95 % interval; no interval for fewer than two repeats."""

    value: float
    low: float | None = None
    high: float | None = None
    n: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """A distribution of times over all valid repeats of a level, merged as histograms."""

    mean: float
    p50: float
    p90: float
    p95: float
    p99: float
    p999: float
    max: float
    mean_interval: Estimate | None = None
    """Over the repeats' own means."""
    p99_interval: Estimate | None = None
    """Over the repeats' own p99 (t on its logarithm), from 5 repeats on."""
    p99_unstable: bool = False
    """Above 80 % utilisation or below 100 samples in the tail."""
