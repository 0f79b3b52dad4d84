"""Rules about the load: it was not the load that was asked for."""

from __future__ import annotations

from igen.judge.trust.rules.machine import DRIVER_CPU_PERCENT
from igen.judge.trust.rules.rule import Limit, Rule

ERROR_SHARE = Limit(0.001, "of the transactions", "fewer failures do not change the figures")
RATE_SHARE = Limit(
    0.01, "of the planned arrivals", "an open or paced load that differs by less from its plan was served"
)
IN_FLIGHT_SD = Limit(
    5.0, "standard deviations", "transactions in flight at both ends of the measured time fluctuate by less"
)
SERVED_SD = Limit(3.5, "standard deviations", "a random walk of all services and arrivals ends within them")
BACKLOG_P = Limit(
    0.005, "probability", "a queue grows if growth from part to part by chance is as unlikely as this"
)
LEAST_PARTS = Limit(4, "parts of a run", "fewer cannot show that a queue grows all the time")
MOST_PARTS = Limit(8, "parts of a run", "shorter parts depend on each other")
LITTLE_SHARE = Limit(
    0.02, "of the users", "by which N users may differ from X (R + Z), besides transactions cut at the ends"
)
ASSUMED_FLOOR_S = Limit(200e-9, "s", "the engine's own cost per transaction if a study did not measure it")
LITTLE_FLOOR_SHARE = Limit(
    0.02, "of R + Z", "Little's law is not checked if the engine's own cost per transaction is larger"
)
UNWRITTEN_SHARE = Limit(0.01, "of the data", "fewer reads of data that was never written change no figure")
LEAST_PHYSICAL = Limit(
    0.5, "of the bytes read", "compression and caches of the file system explain a device that read less"
)

ROWS = (
    Rule("nothing-done", "load", "INVALID", 1),
    Rule("errors", "load", "INVALID", 1, limits=(ERROR_SHARE,)),
    Rule("connections-lost", "load", "INVALID", 1),
    Rule("device-failed", "load", "INVALID", 1),
    Rule("rate-not-sent", "load", "INVALID", 1, limits=(DRIVER_CPU_PERCENT,)),
    Rule("arrivals-given-up", "load", "INVALID", overload=True),
    Rule(
        "rate-not-served",
        "load",
        "INVALID",
        overload=True,
        limits=(RATE_SHARE, IN_FLIGHT_SD, SERVED_SD),
    ),
    Rule(
        "queue-grew",
        "load",
        "INVALID",
        overload=True,
        limits=(RATE_SHARE, BACKLOG_P, LEAST_PARTS, MOST_PARTS),
    ),
    Rule("backlog-served", "load", "INVALID", limits=(RATE_SHARE, IN_FLIGHT_SD, SERVED_SD)),
    Rule("users-left", "load", "INVALID", 1, limits=(LITTLE_SHARE,)),
    Rule("driver-busy", "load", "INVALID", limits=(DRIVER_CPU_PERCENT,)),
    Rule("agent-failed", "load", "INVALID", 1, run="left out"),
    Rule("users-unaccounted", "load", limits=(LITTLE_SHARE, LITTLE_FLOOR_SHARE)),
    Rule("unfinished", "load", "SUSPECT"),
    Rule("repeated-requests", "load", "SUSPECT"),
    Rule("directory-count", "load", "SUSPECT"),
    Rule("processes-left", "load", "SUSPECT"),
    Rule("data-unwritten", "load", "SUSPECT", limits=(UNWRITTEN_SHARE,)),
    Rule("storage-in-memory", "load", "SUSPECT"),
    Rule("reads-elsewhere", "load", "SUSPECT", limits=(LEAST_PHYSICAL,)),
)
