"""What disturbed a measurement, priced: by how many percent the undisturbed value may be another one.

A disturbance makes a system look slower than it is, so the bounds are mostly one-sided: the undisturbed
throughput lies between the measured one and somewhat more, the undisturbed times between somewhat less and
the measured ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import log1p

from igen.judge.trust.finding import Finding

TREND = "trend"
"""The cause that is the system's own: all runs of a level change alike."""
LATE = "late-starts"
"""The cause of late starts by the driver: as late again in the next run on a machine that holds still."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """Where the undisturbed value may lie, in percent of the measured one."""

    low_percent: float = 0.0
    """0 or less."""
    high_percent: float = 0.0
    """0 or more."""

    @property
    def width_percent(self) -> float:
        """From the lower to the upper end."""
        return self.high_percent - self.low_percent

    @property
    def most_percent(self) -> float:
        """How far it reaches on the side on which it reaches farther."""
        return max(-self.low_percent, self.high_percent)

    @property
    def logs(self) -> tuple[float, float]:
        """How far the logarithm of the undisturbed value may lie below and above that of the measured one."""
        low, high = (log1p(max(end, -99.0) / 100) for end in (self.low_percent, self.high_percent))
        return low, high

    def logs_over(self, base: Bound) -> tuple[float, float]:
        """The same of the ratio of a value with this bound to one with that of the base."""
        (low, high), (base_low, base_high) = self.logs, base.logs
        return low - base_high, high - base_low

    def __add__(self, other: Bound) -> Bound:
        return Bound(
            low_percent=self.low_percent + other.low_percent,
            high_percent=self.high_percent + other.high_percent,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """One thing that disturbed, and what it may have cost."""

    finding: Finding
    """The figures that its price rests on; of a level of several runs those of the dearest run."""
    throughput: Bound
    times: Bound
    """Bound of response and service times alike."""

    @property
    def rule(self) -> str:
        """The kind of disturbance."""
        return self.finding.rule

    @property
    def dearness(self) -> float:
        """The wider of both bounds, in percent."""
        return max(self.throughput.width_percent, self.times.width_percent)


@dataclass(frozen=True, slots=True, kw_only=True)
class Disturbance:
    """The systematic error of one execution, or of a level as the mean over its executions."""

    throughput: Bound = field(default_factory=Bound)
    """The sum over all causes."""
    times: Bound = field(default_factory=Bound)
    causes: list[Cause] = field(default_factory=list)
    """The dearest first."""

    @classmethod
    def of(cls, causes: Sequence[Cause]) -> Disturbance:
        """Return the price of all causes together."""
        return cls(
            throughput=_total([cause.throughput for cause in causes]),
            times=_total([cause.times for cause in causes]),
            causes=sorted(causes, key=lambda cause: cause.dearness, reverse=True),
        )

    @property
    def without_late(self) -> Disturbance:
        """The bounds without late starts, which are the driver's and bound times by measured ones."""
        return self.of([cause for cause in self.causes if cause.rule != LATE])

    @property
    def by_others(self) -> Disturbance:
        """What may pass when a run is executed again: neither late starts nor the trend of the system."""
        return self.of([cause for cause in self.causes if cause.rule not in (LATE, TREND)])

    @property
    def late(self) -> Cause | None:
        """The late starts of the driver; None if there were none to speak of."""
        return next((cause for cause in self.causes if cause.rule == LATE), None)


def _total(bounds: Sequence[Bound]) -> Bound:
    """Return the sum of bounds; nothing is less than none, whatever each of several causes may have cost."""
    total = sum(bounds, Bound())
    return replace(total, low_percent=max(total.low_percent, -100.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class WarmUp:
    """What was cut from the front of each execution's MEASURE, and what that changed."""

    given: bool
    """The user said how long the warm-up is: nothing is cut then."""
    cut_s: float
    """The same in all executions of a level."""
    uncut_throughput_per_s: float
    """Mean of the runs with nothing cut; the level's own throughput where nothing was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Periods:
    """A period of the throughput, such as that of checkpoints, and what follows the last whole one."""

    period_s: float
    rest_s: float
    """From the end of the last whole period to that of MEASURE, in the execution where it is longest."""
    rest_counts: bool
    """The user said how long the warm-up is: nothing of MEASURE is cut then. Else whole periods count."""
    other_throughput_per_s: float
    """Mean of the runs with the rest where it does not count, and without it where it does."""
