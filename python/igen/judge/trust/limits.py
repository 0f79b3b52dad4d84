"""The limits of the rules in `trust.rules`."""

from __future__ import annotations

TICK_S = 0.01
"""The kernel counts processor time in ticks: one of each processor may belong to the time before."""

BOUND_PERCENT = 1.0
"""What disturbed a figure by less disturbed it not at all."""
BOUND_SHARE = 0.5
"""Share of half the width of the figure's interval: a bound below that is small against it."""
BEYOND_USE_PERCENT = 20.0
"""A figure that may be off by more says nothing."""
REPEAT_AGAIN_PERCENT = 3.0
"""A run whose bound is wider is worth another one."""

DRIVER_CPU_PERCENT = 70.0
"""A driver that is busier than this queues by itself: at 70 % an M/M/1 queue waits 2.3 service times."""

SEND_LAG_WAITING = 0.01
"""The lag is the driver's only where an arrival finds all users busy more rarely than this."""

CANARY_NOISE_PERCENT = 1.0
"""By which the canary differs from one time to the next on a machine that holds still."""

ERROR_SHARE = 0.001
"""Failed transactions."""

RATE_SHARE = 0.01
"""By which an open or paced load may differ from its plan, and by which what waits may grow."""
BACKLOG_P = 0.005
"""What waits grows unless its growth from part to part is as likely as this by chance."""

INDEPENDENT_VALUES = 20.0
"""A run whose mean response time is worth fewer independent values is too short for it."""
INDEPENDENT_TAIL = 25.0
"""A 99th percentile with fewer independent values beyond it, in all runs together, is unstable. Of M/M/1 at
70 % all in runs of 10 s are, whose intervals hold the truth in 0.90 of studies, and 2 % of those of 80 s,
whose hold it in 0.95."""
BUSY_SHARE = 0.8
"""Processors of a closed load that are busier than this make its 99th percentile unstable."""

LITTLE_SHARE = 0.02
"""By which N users may differ from X (R + Z)."""

LITTLE_FLOOR_SHARE = 0.02
"""Little's law is not checked where the engine's own cost per transaction is a larger share of R + Z."""
ASSUMED_FLOOR_S = 200e-9
"""The engine's own cost where a study did not measure it."""

FOREIGN_CPU_PERCENT = 5.0
"""From which on sentences about who used the processors name others."""
SHARED_PERCENT = 25.0
"""A load that waits for nothing but time loses nothing to others who use half of the processors; but who
measures it again may meet other ones."""
CLOCK_DRIFT_PPM = 100.0
