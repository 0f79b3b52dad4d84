"""THE table of rules: what each is about, its grade, and what follows from it.

A new rule is a row here, a sentence in `igen.say`, and the function that finds it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["VALID", "SUSPECT", "INVALID"]
GRAVITY: tuple[Verdict, ...] = ("VALID", "SUSPECT", "INVALID")
"""From good to bad."""
About = Literal["recording", "load", "machine", "statistics", "system", "publication", "unknown fact"]
Run = Literal["counts", "left out", "not measured"]


@dataclass(frozen=True, slots=True)
class Rule:
    """A row of the table."""

    id: str
    about: About
    """`load`: the load was not the load that was asked for. If it is INVALID, the whole level is: high load
    may be the cause, and a level of the runs that survived would be another one."""
    grade: Verdict
    """VALID for a note, which a reader should know and which changes no verdict."""
    exit_code: Literal[0, 1] = 0
    """1 if the load itself failed, whatever the machine did."""
    run: Run = "counts"
    """What becomes of a run that breaks it. `left out`: other runs of the level stand for it, if there are
    any; `not measured`: it is not an observation of the system, and a fresh run replaces it."""
    overload: bool = False
    """More was offered than the system served: a result."""
    bottleneck: bool = False
    """It names what limits the system, for which a report has a place."""
    said_by: tuple[str, ...] = ()
    """Rules that say the same: a report that has one of them does not repeat it."""

    @property
    def spoils_level(self) -> bool:
        """True if a level with one such run is INVALID, even if the figures rest on other runs."""
        return self.grade == "INVALID" and self.about == "load"


_TABLE = (
    # The load was not the load that was asked for.
    Rule("nothing-done", "load", "INVALID", 1),
    Rule("errors", "load", "INVALID", 1),
    Rule("connections-lost", "load", "INVALID", 1),
    Rule("device-failed", "load", "INVALID", 1),
    Rule("rate-not-sent", "load", "INVALID", 1),
    Rule("arrivals-given-up", "load", "INVALID", overload=True),
    Rule("rate-not-served", "load", "INVALID", overload=True),
    Rule("queue-grew", "load", "INVALID", overload=True),
    Rule("backlog-served", "load", "INVALID"),
    Rule("users-left", "load", "INVALID", 1),
    Rule("load-machine-busy", "load", "INVALID", 1),
    Rule("agent-failed", "load", "INVALID", 1, run="left out"),
    Rule("users-unaccounted", "load", "SUSPECT"),
    Rule("unfinished", "load", "SUSPECT"),
    Rule("repeated-requests", "load", "SUSPECT"),
    Rule("directory-count", "load", "SUSPECT"),
    # The recording does not hold all of the run.
    Rule("interrupted", "recording", "INVALID", run="not measured"),
    Rule("agent-died", "recording", "INVALID", 1, run="not measured"),
    Rule("share-failed", "recording", "INVALID", 1, run="not measured"),
    Rule("cut-off", "recording", "INVALID", 1, run="not measured"),
    Rule("share-lost", "recording", "INVALID", 1, run="not measured"),
    Rule("stopped-before-work", "recording", "INVALID", run="left out"),
    Rule("damaged", "recording", "SUSPECT"),
    # The machine was not the load's own.
    Rule("disturbed-beyond-use", "machine", "INVALID", run="left out"),
    Rule("disturbed", "machine", "SUSPECT"),
    Rule("shared-machine", "machine", "SUSPECT"),
    Rule("concurrent-runs", "machine", "SUSPECT"),
    Rule("driver-busy", "machine", "SUSPECT"),
    Rule("unattributed", "machine", "SUSPECT"),
    # The figures do not repeat, or rest on too little.
    Rule("not-steady", "statistics", "SUSPECT"),
    Rule("times-not-steady", "statistics", "SUSPECT"),
    Rule("too-short", "statistics", "SUSPECT"),
    Rule("two-groups", "statistics", "SUSPECT"),
    Rule("noisy-repeats", "statistics", "SUSPECT"),
    # Why a level is not steady.
    Rule("few-intervals", "statistics", "VALID"),
    Rule("few-periods", "statistics", "VALID"),
    Rule("long-warm-up", "statistics", "VALID"),
    Rule("outage", "statistics", "VALID"),
    Rule("step", "statistics", "VALID"),
    Rule("drift", "statistics", "VALID"),
    Rule("wander", "statistics", "VALID"),
    # What disturbed the machine.
    Rule("foreign-cpu", "machine", "VALID"),
    Rule("other-clients", "machine", "VALID"),
    Rule("steal", "machine", "VALID"),
    Rule("stood-still", "machine", "VALID"),
    Rule("late-starts", "machine", "VALID"),
    Rule("canary", "machine", "VALID"),
    Rule("clock-drift", "machine", "VALID"),
    # Notes on a level.
    Rule("one-run", "statistics", "VALID"),
    Rule("few-runs", "statistics", "VALID"),
    Rule("run-left-out", "statistics", "VALID"),
    Rule("run-not-measured", "recording", "VALID"),
    Rule("run-replaced", "machine", "VALID"),
    Rule("few-transactions", "statistics", "VALID"),
    Rule("warm-up-cut", "statistics", "VALID"),
    Rule("whole-periods", "statistics", "VALID"),
    Rule("times-between", "machine", "VALID"),
    Rule("page-cache", "load", "VALID"),
    Rule("kernels-missed", "statistics", "VALID"),
    Rule("other-clients-seen", "machine", "VALID"),
    Rule("other-clients-hidden", "machine", "VALID"),
    Rule("server-count", "load", "VALID"),
    # Notes on a system.
    Rule("agent-warning", "recording", "VALID"),
    Rule("store-warning", "recording", "VALID"),
    Rule("study-damaged", "recording", "VALID"),
    Rule("run-resumed", "recording", "VALID"),
    Rule("recording-empty", "recording", "VALID"),
    Rule("nothing-recorded", "recording", "VALID"),
    Rule("levels-left-out", "statistics", "VALID"),
    # Why a point of a curve has no name, and notes on a point.
    Rule("offered-throughput", "load", "VALID"),
    Rule("several-loads", "load", "VALID"),
    Rule("several-response-times", "load", "VALID"),
    Rule("no-confirmed-load", "statistics", "VALID"),
    Rule("few-valid-loads", "statistics", "VALID"),
    Rule("no-load-surely-below", "statistics", "VALID"),
    Rule("search-out-of-time", "statistics", "VALID"),
    Rule("few-common-repeats", "statistics", "VALID"),
    Rule("lower-load-undecided", "statistics", "VALID"),
    Rule("quiet-machine-needed", "machine", "VALID"),
    Rule("loads-too-alike", "statistics", "VALID"),
    Rule("repeats-needed", "statistics", "VALID"),
    Rule("sweet-spot-not-confirmed", "statistics", "VALID"),
    Rule("power-highest-at-lowest-load", "statistics", "VALID"),
    Rule("not-confirmed", "statistics", "VALID"),
    Rule("knee-at-highest-load", "statistics", "VALID"),
    Rule("limit-may-lie-beyond", "statistics", "VALID"),
    Rule("next-load-invalid", "statistics", "VALID"),
    Rule("lower-load-above-limit", "statistics", "VALID"),
    Rule("few-runs-of-point", "statistics", "VALID"),
    Rule("throughput-invalid", "statistics", "VALID"),
    Rule("higher-loads-invalid", "statistics", "VALID"),
    Rule("peak-may-lie-beyond", "statistics", "VALID"),
    Rule("one-run-flatters", "statistics", "VALID"),
    Rule("peak-between", "statistics", "VALID"),
    # Observations of a system, and what they add.
    Rule("single-load", "system", "VALID"),
    Rule("peak", "system", "VALID"),
    Rule("most-of-loads-tried", "system", "VALID"),
    Rule("confirmed", "system", "VALID"),
    Rule("best-of-loads", "system", "VALID"),
    Rule("alike-loads", "system", "VALID"),
    Rule("sweet-spot", "system", "VALID"),
    Rule("no-sweet-spot", "system", "VALID"),
    Rule("lowest-load-tried", "system", "VALID"),
    Rule("no-lower-load-does-as-much", "system", "VALID"),
    Rule("no-peak", "system", "VALID"),
    Rule("no-load-within-limit", "system", "VALID"),
    Rule("growth", "system", "VALID"),
    Rule("falls-beyond-peak", "system", "VALID"),
    Rule("waits-beyond-peak", "system", "VALID"),
    Rule("cpu-bound", "system", "VALID", bottleneck=True),
    Rule("io-bound", "system", "VALID", bottleneck=True),
    Rule("hidden-stall", "system", "VALID"),
    Rule("hidden-wait", "system", "VALID"),
    Rule("within-limit", "system", "VALID"),
    Rule("highest-load-tried", "system", "VALID"),
    Rule("load-invalid", "system", "VALID"),
    Rule("first-load-beyond", "system", "VALID"),
    Rule("scaling", "system", "VALID"),
    Rule("instances-within-limit", "system", "VALID"),
    Rule("interval-crosses-limit", "system", "VALID"),
    Rule("more-instances-beyond", "system", "VALID"),
    Rule("load-processes", "load", "VALID"),
    Rule("started-when-ready", "load", "VALID"),
    Rule("started-at-same-time", "load", "VALID"),
    Rule("started-by-same-clock", "load", "VALID"),
    Rule("started-by-known-clocks", "load", "VALID"),
    # Observations of one kind of target or workload.
    Rule("server-time", "system", "VALID", bottleneck=True),
    Rule("further-server-time", "system", "VALID"),
    Rule("processors-busy", "system", "VALID"),
    Rule("waits-for-clients", "system", "VALID"),
    Rule("server-processors-busy", "system", "VALID"),
    Rule("table-from-statement", "system", "VALID"),
    Rule("one-writer", "system", "VALID"),
    Rule("conflicts", "system", "VALID"),
    Rule("all-stored", "system", "VALID"),
    Rule("transactions-lost", "system", "VALID"),
    Rule("cache-hits", "system", "VALID"),
    Rule("http-connections", "system", "VALID"),
    Rule("requests-at-once", "system", "VALID"),
    Rule("one-request-at-once", "system", "VALID"),
    Rule("users-dealt-to-targets", "system", "VALID"),
    Rule("requests-dealt-to-nodes", "system", "VALID"),
    Rule("requests-sent-twice", "system", "VALID"),
    Rule("ldap-operations", "system", "VALID"),
    Rule("directory-conditions", "system", "VALID"),
    Rule("not-all-attributes", "system", "VALID"),
    Rule("directory-agrees", "system", "VALID"),
    Rule("directory-not-compared", "system", "VALID"),
    Rule("no-tier-half-full", "system", "VALID"),
    Rule("tiers-share-processors", "system", "VALID"),
    Rule("tier-fills-first", "system", "VALID"),
    Rule("tier-fills", "system", "VALID"),
    Rule("resource-fills-first", "system", "VALID", bottleneck=True),
    Rule("target-does-less", "system", "VALID"),
    Rule("target-does-more", "system", "VALID"),
    Rule("target-answers-faster", "system", "VALID"),
    Rule("target-answers-slower", "system", "VALID"),
    Rule("memory-bandwidth", "system", "VALID"),
    Rule("memory-latency", "system", "VALID"),
    Rule("plateau", "system", "VALID"),
    Rule("no-plateau", "system", "VALID"),
    Rule("same-at-all-sizes", "system", "VALID"),
    Rule("fastest-pass", "system", "VALID"),
    Rule("shortest-look-up", "system", "VALID"),
    Rule("no-pass-usable", "system", "VALID"),
    Rule("meter-not-read", "recording", "VALID"),
    Rule("energy-per-transaction", "system", "VALID"),
    Rule("disks-replaced", "system", "VALID"),
    Rule("density", "system", "VALID"),
    # A comparison: its notes, its answers, and what they add.
    Rule("nothing-in-common", "statistics", "VALID"),
    Rule("other-workload", "load", "VALID"),
    Rule("other-version", "load", "VALID"),
    Rule("loads-without-work", "load", "VALID"),
    Rule("several-factors", "statistics", "VALID"),
    Rule("measured-on-two-machines", "machine", "VALID"),
    Rule("measured-one-after-the-other", "machine", "VALID"),
    Rule("noise-measured", "machine", "VALID"),
    Rule("noise-assumed", "machine", "VALID"),
    Rule("noise-of-several-loads-assumed", "machine", "VALID"),
    Rule("faster", "system", "VALID"),
    Rule("slower", "system", "VALID"),
    Rule("equivalent", "system", "VALID"),
    Rule("cannot-tell-apart", "system", "VALID"),
    Rule("times-shorter", "system", "VALID"),
    Rule("times-longer", "system", "VALID"),
    Rule("peak-higher", "system", "VALID"),
    Rule("peak-lower", "system", "VALID"),
    Rule("peaks-equivalent", "system", "VALID"),
    Rule("cannot-tell-peaks-apart", "system", "VALID"),
    Rule("holds-rate", "system", "VALID"),
    Rule("tested", "statistics", "VALID"),
    Rule("order-of-pairs", "statistics", "VALID"),
    Rule("corrected", "statistics", "VALID"),
    Rule("session-noise-assumed", "machine", "VALID"),
    Rule("within-margin", "statistics", "VALID"),
    Rule("could-have-seen", "statistics", "VALID"),
    Rule("disturbed-beyond-margin", "machine", "VALID"),
    Rule("repeats-would-show", "statistics", "VALID"),
    Rule("side-by-side-would-show", "statistics", "VALID"),
    Rule("no-repeats-would-show", "statistics", "VALID"),
    Rule("many-repeats-would-show", "statistics", "VALID"),
    # Notes on a ratio or a threshold.
    Rule("level-invalid", "statistics", "VALID"),
    Rule("late-driver", "machine", "VALID"),
    Rule("no-interval", "statistics", "VALID"),
    Rule("interval-needs-runs", "statistics", "VALID"),
    Rule("interval-unknown", "statistics", "VALID"),
    Rule("interval-spans-limit", "statistics", "VALID"),
    Rule("disturbance-spans-limit", "machine", "VALID"),
    Rule("no-transaction-ended", "load", "VALID"),
    Rule("no-transaction-succeeded", "load", "VALID"),
    Rule("load-not-measured", "load", "VALID"),
    # Before a figure is published: `igen lint`.
    Rule("not-durable", "publication", "VALID", said_by=("all-stored", "transactions-lost")),
    Rule("modifies-not-flushed", "publication", "VALID", said_by=("directory-conditions",)),
    Rule("files-in-memory", "publication", "VALID"),
    Rule("data-in-memory", "publication", "VALID"),
    Rule("high-hit-ratio", "publication", "VALID"),
    Rule("few-entries-accessed", "publication", "VALID"),
    Rule("nothing-returned", "publication", "VALID"),
    Rule("few-keys", "publication", "VALID"),
    Rule("few-attributes", "publication", "VALID", said_by=("not-all-attributes",)),
    Rule("few-checkpoints", "publication", "VALID"),
    Rule("short-window", "publication", "VALID"),
    Rule("planned-once", "publication", "VALID"),
    Rule("levels-run-once", "publication", "VALID", said_by=("one-run", "one-run-flatters")),
    Rule("peak-at-last-load", "publication", "VALID", said_by=("peak-may-lie-beyond",)),
    Rule("processors-shared", "publication", "VALID", said_by=("driver-busy",)),
    Rule("governor-not-fastest", "publication", "VALID"),
    Rule("turbo-on", "publication", "VALID"),
    Rule("machines-differ", "publication", "VALID"),
    Rule("factors-differ", "publication", "VALID", said_by=("several-factors",)),
    Rule("not-side-by-side", "publication", "VALID", said_by=("measured-one-after-the-other",)),
    Rule("closed-percentile", "publication", "VALID"),
    Rule("figures-disagree", "publication", "VALID"),
    Rule("think-times-differ", "publication", "VALID"),
    Rule("ratio-without-base", "publication", "VALID"),
    Rule("page-cache-unknown", "unknown fact", "VALID"),
    Rule("file-size-unknown", "unknown fact", "VALID"),
    Rule("database-size-unknown", "unknown fact", "VALID"),
    Rule("hit-ratio-unknown", "unknown fact", "VALID"),
    Rule("settings-unknown", "unknown fact", "VALID"),
    Rule("flush-unknown", "unknown fact", "VALID"),
    Rule("file-system-unknown", "unknown fact", "VALID"),
    Rule("governor-unknown", "unknown fact", "VALID"),
    Rule("turbo-unknown", "unknown fact", "VALID"),
    Rule("checkpoints-unknown", "unknown fact", "VALID"),
    # A machine that lacks something: `igen doctor`.
    Rule("others-at-work", "machine", "VALID"),
    Rule("stolen-since-start", "machine", "VALID"),
    Rule("noise-unknown", "machine", "VALID"),
    Rule("governor-changes-clock", "machine", "VALID"),
    Rule("turbo-changes-clock", "machine", "VALID"),
    Rule("slow-clock", "machine", "VALID"),
    Rule("swap-on", "machine", "VALID"),
    Rule("no-huge-pages", "machine", "VALID"),
    Rule("few-open-files", "machine", "VALID"),
    Rule("little-locked-memory", "machine", "VALID"),
    Rule("io-uring-disabled", "machine", "VALID"),
    Rule("counters-restricted", "machine", "VALID"),
    Rule("servers-missing", "machine", "VALID"),
    Rule("duckdb-missing", "machine", "VALID"),
)
RULES = {rule.id: rule for rule in _TABLE}
"""By id."""
