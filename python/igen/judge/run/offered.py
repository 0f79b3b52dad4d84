"""Offered, sent, served, waiting: what became of the arrivals of one run, and the one state that follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from igen.judge.figure.interval import mean_interval
from igen.judge.record.recording import Recording
from igen.judge.record.snapshot import Snapshot, Statistics
from igen.judge.record.target import Place, target_place
from igen.judge.result import Resources, Served
from igen.judge.trust.rules.load import (
    BACKLOG_P,
    IN_FLIGHT_SD,
    LEAST_PARTS,
    MOST_PARTS,
    RATE_SHARE,
    SERVED_SD,
)
from igen.judge.trust.rules.machine import DRIVER_CPU_PERCENT
from igen.units import NS_PER_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """The arrivals of one run with an open or paced load."""

    due: int
    """Arrivals that were due in the measured time."""
    given_up: int
    """Arrivals that were not sent within 10 s."""
    ended: int
    """Transactions that ended, however they did."""
    grown: int
    """Growth of what was due and not answered, wherever it waited; 0 if it may be chance (t test)."""
    chance: float
    """Difference of `due` and `ended` that chance explains."""
    driver_failed: bool
    """The driver was too busy to send it all, if not all of it was served."""

    @property
    def differs(self) -> bool:
        """True if more or less ended than was due, beyond chance."""
        return abs(self.due - self.ended) > RATE_SHARE.value * self.due + self.chance

    @property
    def grows(self) -> bool:
        """True if what waits grew beyond its limit."""
        return self.grown > RATE_SHARE.value * self.due

    @property
    def served_share(self) -> float:
        """Share of the arrivals that was served: 1 if the rate was held, as far as a queue holds it."""
        if not (self.given_up or self.differs or self.grows):
            return 1.0
        return max(min(self.ended, self.due - max(self.given_up, self.grown)), 0) / self.due

    @property
    def served(self) -> Served:
        """What became of the load in this run, whatever disturbed the machine."""
        if self.served_share == 1:
            return "held"
        return "driver failed" if self.driver_failed else "overloaded"


def offered_of(
    recording: Recording,
    intervals: Sequence[Snapshot],
    transactions: Statistics,
    resources: Resources,
    measured_s: float,
) -> Offered | None:
    """Return what became of the arrivals; None if none was due, as of closed loads.

    What was due and what ended differ by what is in flight at both ends as well, which fluctuates. Of a queue
    in its steady state with L in flight on average that number has the variance L (1 + L) where arrivals and
    services are random; of one near saturation the difference cannot grow faster than a random walk: by a
    step for each service, and for each arrival unless these come by a plan. Beyond both lies less than one
    run in a thousand. Where the queue grows, so do both allowances: so what waits is looked at from part to
    part, too. Growth that goes on is no fluctuation.
    """
    arrivals = [interval.arrivals for interval in intervals if interval.arrivals]
    due = sum(each.due for each in arrivals)
    if not due:
        return None
    in_flight = (transactions.response_time.sum_ns + transactions.failed_time.sum_ns) / NS_PER_S / measured_s
    steps = 2 * due if _comes_by_chance(recording) else due
    percent = resources.driver_cpu_percent
    beside = target_place(recording) is not Place.IN_PROCESS
    return Offered(
        due=due,
        given_up=sum(each.unsent for each in arrivals),
        ended=transactions.count + transactions.failed,
        grown=_growth(intervals),
        chance=min(IN_FLIGHT_SD.value * sqrt(2 * in_flight * (1 + in_flight)), SERVED_SD.value * sqrt(steps)),
        driver_failed=beside and percent is not None and percent > DRIVER_CPU_PERCENT.value,
    )


def _comes_by_chance(recording: Recording) -> bool:
    """Return True if the number of arrivals in a given time is random: neither of users who are paced, nor of
    arrivals at equal distances."""
    return any(load.asked.get("arrivals") == "poisson" for load in recording.loads)


def _growth(intervals: Sequence[Snapshot]) -> int:
    """Return by how much what was due and not answered grew over the measured time; 0 if it may be chance
    from part to part."""
    grown = [
        each.arrivals.due - each.arrivals.unsent - each.transactions.count - each.transactions.failed
        for each in intervals
        if each.arrivals
    ]
    waiting = np.cumsum([0, *grown])
    parts = min(MOST_PARTS.value, len(grown))
    if parts < LEAST_PARTS.value:
        return 0
    edges = [waiting[len(grown) * part // parts] for part in range(parts + 1)]
    growths = np.diff(edges)
    grew = mean_interval(growths.tolist()).against(0.0, 0.0, error=BACKLOG_P.value, sides=1) == "above"
    return int(edges[-1] - edges[0]) if grew else 0
