"""Rules about the recording: it does not hold all of the run."""

from __future__ import annotations

from typing import get_args

from igen.damage import DamageKind
from igen.judge.trust.rules.rule import Limit, Rule

SAME_MOMENT_S = Limit(
    1e-6, "s", "the agent ends an interval and starts the next one at the same reading of the clock"
)
FULL_INTERVAL_SHARE = Limit(
    0.95, "of an interval", "a shorter interval at the end of a run was cut short and is left out"
)

ROWS = (
    Rule("interrupted", "recording", "INVALID", run="not measured"),
    Rule("agent-died", "recording", "INVALID", 1, run="not measured"),
    Rule("share-failed", "recording", "INVALID", 1, run="not measured"),
    Rule("cut-off", "recording", "INVALID", 1, run="not measured"),
    Rule("share-lost", "recording", "INVALID", 1, run="not measured"),
    Rule("stopped-before-work", "recording", "INVALID", run="left out"),
    Rule("damaged", "recording", "INVALID", run="left out", limits=(SAME_MOMENT_S,)),
    *(Rule(kind, "recording") for kind in get_args(DamageKind)),
)
