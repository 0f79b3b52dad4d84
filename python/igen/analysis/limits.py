"""The limits of the verdict, in one table, and what a broken one is.

SUSPECT: the figure stands, with its reason. INVALID: the figure is not that of the load that was asked for.
What disturbs a run from outside leaves the run out, what the load itself does makes the whole level INVALID:
by rule and never by hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

STEAL_SUSPECT_PERCENT = 1.0
STEAL_INVALID_PERCENT = 3.0
"""Time in which the hypervisor gave the processors to others."""
STEAL_TICK_S = 0.01
"""The kernel counts that in ticks: one of each processor may belong to the time before."""

PRESSURE_PERCENT = 10.0
"""Time in which a task waited for a processor although the load alone would not fill them. With N busy users
a share s costs at most s / N of the throughput: 5 % at two users."""

DRIVER_WAIT_PERCENT = 5.0
"""Time in which the driver's threads waited for a processor, as a share of the service times, under the same
condition: the times are too long by as much."""

DRIVER_CPU_PERCENT = 70.0
"""A driver that is busier than this queues by itself: at 70 % an M/M/1 queue waits 2.3 service times."""

SEND_LAG_SHARE = 0.10
"""99th percentile of the lag between intended and actual start, as a share of the median response time."""
SEND_LAG_WAITING = 0.01
"""The lag is the driver's only where an arrival finds all users busy more rarely than this."""

CANARY_SHARE = 0.03
"""The machine ran faster or slower than before, or than in the rest of the study."""

ERROR_SHARE = 0.001
"""Failed transactions."""

RATE_SHARE = 0.01
"""By which an open or paced load may differ from its plan, and its backlog grow."""

LITTLE_SHARE = 0.02
"""By which N users may differ from X (R + Z)."""

LITTLE_FLOOR_SHARE = 0.02
"""Little's law is not checked where the engine's own cost per transaction is a larger share of R + Z."""
ASSUMED_FLOOR_S = 200e-9
"""The engine's own cost where a study did not measure it."""

FOREIGN_CPU_PERCENT = 5.0
CLOCK_DRIFT_PPM = 100.0


@dataclass(frozen=True, slots=True)
class Finding:
    """A limit that one run broke."""

    verdict: Literal["SUSPECT", "INVALID"]
    rule: str
    """Name of the limit, the same in all runs."""
    text: str
    """With the figure and the limit."""
    spoils_level: bool = False
    """It may come with high load: a level without such runs would be that of the survivors."""
    spoils_run: bool = True
    """If INVALID: other runs stand for this one. Not where the run shows what the load did."""
