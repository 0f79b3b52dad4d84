"""Rules about the machine: it was not the load's own, or it did not hold still."""

from __future__ import annotations

from igen.judge.trust.rules.rule import Limit, Rule
from igen.judge.trust.rules.statistics import TREND_BLOCKS, TREND_ERROR, TREND_RUNS, TREND_THIRDS
from igen.judge.trust.rules.steady import COUNTED

BOUND_PERCENT = Limit(1.0, "percent of a figure", "a figure that is off by no more is good for any use")
BEYOND_USE_PERCENT = Limit(20.0, "percent of a figure", "a figure that may be off by more is of no use")
REPEAT_AGAIN_PERCENT = Limit(
    3.0, "percent of a figure", "a run that others may have changed by more is worth a fresh run"
)
MOST_PERCENT = Limit(1000.0, "percent of a figure", "a larger price only means that the figure is of no use")
MOST_UTILISATION = Limit(
    0.95, "busy", "a queue that is busier has no price: waiting grows with 1 / (1 - utilisation)"
)
LEAST_PROGRAMS_SHARE = Limit(
    0.01,
    "of the load's processor time",
    "programs that the load has started and that used less do none of its work",
)
SHARED_PERCENT = Limit(
    25.0,
    "percent of all processors",
    "a load that waits for nothing but time loses nothing to others who use half of the processors; but who "
    "measures it again may meet other ones",
)
FOREIGN_CPU_PERCENT = Limit(
    5.0, "percent of all processors", "if others used more, who used up the processors is not known"
)
UNATTRIBUTED_PERCENT = Limit(
    5.0, "percent of the host", "if others used more, what the tiers used is not the whole"
)
LEAST_NAMED_PERCENT = Limit(0.5, "percent of all processors", "programs that used less are not named")
MOST_NAMED = Limit(3, "names", "programs or clients that one finding names")
LEAST_REST_PERCENT = Limit(
    2.0, "percent of all processors", "less than this besides the named programs is not mentioned"
)
TICK_S = Limit(
    0.01,
    "s",
    "the kernel counts processor time in ticks: one of each processor may belong to the time before",
)
DRIVER_CPU_PERCENT = Limit(
    70.0,
    "percent of all processors",
    "a driver that is busier queues by itself: at 70 % an M/M/1 queue waits 2.3 service times",
)
SEND_LAG_WAITING = Limit(
    0.01, "of the arrivals", "late starts are the driver's only if fewer arrivals find all users busy"
)
CANARY_FREEDOM = Limit(
    10, "degrees of freedom", "with fewer, nobody knows how the figures follow the speed of the machine"
)
CLOCK_DRIFT_PPM = Limit(100.0, "parts per million", "clocks of healthy machines differ by less")

ROWS = (
    Rule("disturbed-beyond-use", "machine", "INVALID", limits=(BEYOND_USE_PERCENT,)),
    Rule(
        "disturbed",
        "machine",
        "SUSPECT",
        limits=(BOUND_PERCENT, MOST_PERCENT, MOST_UTILISATION),
    ),
    Rule("late-times", "machine", "SUSPECT", limits=(BEYOND_USE_PERCENT,)),
    Rule("shared-machine", "machine", "SUSPECT", limits=(SHARED_PERCENT,)),
    Rule("concurrent-runs", "machine", "SUSPECT"),
    Rule("throttled", "machine", "SUSPECT"),
    Rule("unattributed", "machine", "SUSPECT", limits=(UNATTRIBUTED_PERCENT, TICK_S)),
)
CAUSES = (
    Rule("processors-lost", "machine", limits=(MOST_PERCENT,)),
    Rule(
        "foreign-cpu",
        "machine",
        limits=(TICK_S, LEAST_PROGRAMS_SHARE, LEAST_NAMED_PERCENT, MOST_NAMED, LEAST_REST_PERCENT),
    ),
    Rule("other-clients", "machine", limits=(MOST_NAMED,)),
    Rule("steal", "machine", limits=(TICK_S,)),
    Rule("stood-still", "machine"),
    Rule("late-starts", "machine", limits=(SEND_LAG_WAITING,)),
    Rule("trend", "statistics", limits=(TREND_THIRDS, TREND_ERROR, TREND_RUNS, TREND_BLOCKS, COUNTED)),
    Rule("clock-drift", "machine", limits=(CLOCK_DRIFT_PPM,)),
)
"""What may have moved the figures of a run or of a level, each with a bound in percent."""
