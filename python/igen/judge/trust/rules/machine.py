"""Rules about the machine: it was not the load's own, or it did not hold still."""

from __future__ import annotations

from igen.judge.trust.rules.rule import Limit, Rule

BOUND_PERCENT = Limit(1.0, "percent of a figure", "a figure that others may have changed by less is used")
BOUND_SHARE = Limit(
    0.5, "of half the width of the figure's interval", "a bound below it is small against the interval"
)
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
CANARY_NOISE_PERCENT = Limit(
    1.0,
    "percent of the canary",
    "by which it differs from one time to the next on a machine that holds still",
)
CANARY_SD = Limit(
    3.0, "standard deviations of the canary's own noise", "a machine that holds still differs by less"
)
CANARY_FREEDOM = Limit(
    5, "degrees of freedom", "with fewer repeats the canary's effect is taken to be the whole one"
)
CANARY_RELIABILITY = Limit(
    0.8,
    "of the canary's variance between repeats",
    "as much must be more than its own noise: noise has no effect, and would be taken for work that does not "
    "follow the canary",
)
CLOCK_DRIFT_PPM = Limit(100.0, "parts per million", "clocks of healthy machines differ by less")

ROWS = (
    Rule("disturbed-beyond-use", "machine", "INVALID", run="left out", limits=(BEYOND_USE_PERCENT,)),
    Rule(
        "disturbed",
        "machine",
        "SUSPECT",
        limits=(BOUND_PERCENT, BOUND_SHARE, MOST_PERCENT, MOST_UTILISATION),
    ),
    Rule("shared-machine", "machine", "SUSPECT", limits=(SHARED_PERCENT,)),
    Rule("concurrent-runs", "machine", "SUSPECT"),
    Rule("driver-busy", "machine", "SUSPECT", limits=(DRIVER_CPU_PERCENT,)),
    Rule("unattributed", "machine", "SUSPECT", limits=(UNATTRIBUTED_PERCENT, TICK_S)),
)
CAUSES = (
    Rule(
        "foreign-cpu",
        "machine",
        limits=(TICK_S, LEAST_PROGRAMS_SHARE, LEAST_NAMED_PERCENT, MOST_NAMED, LEAST_REST_PERCENT),
    ),
    Rule("other-clients", "machine", limits=(MOST_NAMED,)),
    Rule("steal", "machine", limits=(TICK_S,)),
    Rule("stood-still", "machine"),
    Rule("late-starts", "machine", limits=(SEND_LAG_WAITING,)),
    Rule(
        "canary",
        "machine",
        limits=(CANARY_NOISE_PERCENT, CANARY_SD, CANARY_FREEDOM, CANARY_RELIABILITY),
    ),
    Rule("clock-drift", "machine", limits=(CLOCK_DRIFT_PPM,)),
)
"""What disturbed a run."""
