"""Statistics that say how well they are known: a mean with its interval, a distribution of times."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from igen.judge.figure.against import Side, against


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A mean over repeats with its 95 % interval; no interval for fewer than two repeats."""

    value: float
    low: float | None = None
    high: float | None = None
    n: int = 1

    @classmethod
    def exactly(cls, value: float) -> Estimate:
        """Return a value that is known without doubt: its interval has no width."""
        return cls(value=value, low=value, high=value)

    @property
    def ends(self) -> tuple[float, float] | None:
        """Both ends of the interval; None without an interval."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    def against(self, least: float = -inf, most: float = inf) -> Side:
        """Return the side of the limits on which the interval is."""
        return against(self.ends, least, most)


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Times of a level: each figure is the geometric mean of the runs' own, which its interval estimates.

    The mean is that of the measured part, as the throughput is; percentiles and maximum are those of all of
    MEASURE, with the transactions that were in flight at its end. Histograms of several runs are merged for
    percentile curves only.
    """

    mean: float
    p50: float
    p90: float
    p95: float
    p99: float
    p999: float
    max: float
    """The longest of all runs."""
    mean_interval: Estimate | None = None
    """t on the logarithms of the runs' own means; None for one run."""
    p99_interval: Estimate | None = None
    """t on the logarithms of the runs' own p99, from 5 runs on."""
    p99_unstable: bool = False
    """The runs are too short for it: fewer than 100 values beyond it, or fewer than 25 independent ones; or
    the processors of a closed load are too busy."""
