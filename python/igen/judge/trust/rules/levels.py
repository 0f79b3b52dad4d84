"""Notes on a level and on a system."""

from __future__ import annotations

from igen.judge.trust.rules.machine import BOUND_PERCENT, CANARY_FREEDOM, REPEAT_AGAIN_PERCENT
from igen.judge.trust.rules.rule import Rule
from igen.judge.trust.rules.statistics import FEW_TRANSACTIONS, LEAST_RUNS

ROWS = (
    Rule("speed-corrected", "machine", limits=(BOUND_PERCENT, CANARY_FREEDOM)),
    Rule("any-session", "statistics"),
    Rule("few-runs", "statistics", limits=(LEAST_RUNS,)),
    Rule("run-left-out", "statistics"),
    Rule("run-not-measured", "recording"),
    Rule("run-replaced", "machine", limits=(REPEAT_AGAIN_PERCENT,)),
    Rule("few-transactions", "statistics", limits=(FEW_TRANSACTIONS,)),
    Rule("warm-up-cut", "statistics"),
    Rule("whole-periods", "statistics"),
    Rule("times-between", "machine", limits=(BOUND_PERCENT,)),
    Rule("page-cache", "load"),
    Rule("kernels-missed", "statistics"),
    Rule("other-clients-seen", "machine"),
    Rule("other-clients-hidden", "machine"),
    Rule("server-count", "load"),
    Rule("agent-warning", "recording"),
    Rule("study-damaged", "recording"),
    Rule("run-resumed", "recording"),
    Rule("recording-empty", "recording"),
    Rule("nothing-recorded", "recording"),
    Rule("levels-left-out", "statistics"),
)
