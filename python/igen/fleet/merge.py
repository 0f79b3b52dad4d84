"""Snapshots that several agents took of the same interval, as the one that a single agent would have taken.

Counts are added, and so are histograms, bucket by bucket: nothing is lost, and the order of agents is of no
consequence. What an event may leave out stays left out where all agents do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from igen.failure import failures_of, told_failures
from igen.hdr import encoded, summed
from igen.loads import PERSONAS

Part = dict[str, Any]
_TIMES = ("service_time", "response_time", "failed_service_time", "failed_time")
_STANDS_FOR = {"response_time": "service_time", "failed_service_time": "failed_time"}
"""Kinds of times that equal the other kind if they are absent."""


def merged_snapshot(parts: Sequence[Part], *, start_s: float, end_s: float, since_s: float) -> Part:
    """All that these snapshots tell, for an interval with these ends on the clock of the job.

    Operations cover the time from `since_s` on where the agents do not tell them in each snapshot. Raises
    `ValueError` where a histogram cannot be read.
    """
    merged = _load(parts)
    if any("operations_since_s" in part for part in parts):
        merged["operations_since_s"] = since_s
    return {"phase": parts[0]["phase"], "start_s": start_s, "end_s": end_s, **merged}


def _load(parts: Sequence[Part]) -> Part:
    """Part of a snapshot about all loads, or about one load."""
    merged: Part = {
        "users": sum(part["users"] for part in parts),
        "think_time_ns": sum(part.get("think_time_ns", 0) for part in parts),
        "transactions": _statistics([part["transactions"] for part in parts]),
    }
    if operations := _by_name(parts, "operations"):
        merged["operations"] = {name: _statistics(each) for name, each in operations.items()}
    targets = [part["targets"] for part in parts if part.get("targets")]
    if targets:
        merged["targets"] = [_statistics(each) for each in zip(*targets, strict=True)]
    counters: Counter[str] = Counter()
    for part in parts:
        counters.update(part.get("counters", {}))
    merged["counters"] = dict(counters)
    if failures := failures_of(each for part in parts for each in part.get("failures", ())):
        merged["failures"] = told_failures(failures)
    if arrivals := [part["arrivals"] for part in parts if part.get("arrivals")]:
        merged["arrivals"] = {name: sum(each[name] for each in arrivals) for name in arrivals[0]}
    if several := _by_name(parts, PERSONAS):
        merged[PERSONAS] = {name: _load(each) for name, each in several.items()}
    return merged


def _statistics(parts: Sequence[Part]) -> Part:
    merged: Part = {name: sum(part[name] for part in parts) for name in ("count", "failed")}
    for name in _TIMES:
        if any(name in part for part in parts):
            merged[name] = _times([part.get(name) or part.get(_STANDS_FOR.get(name, "")) for part in parts])
    return merged


def _times(parts: Sequence[Part | None]) -> Part:
    told = [part for part in parts if part and part["hdr"]]
    # Of one alone as well: a histogram that cannot be read is refused here, and not when it is judged.
    counts = summed([part["hdr"] for part in told])
    return {
        "sum_ns": sum(part["sum_ns"] for part in told),
        "hdr": told[0]["hdr"] if len(told) == 1 else encoded(counts),
    }


def _by_name(parts: Sequence[Part], kind: str) -> dict[str, list[Part]]:
    found: dict[str, list[Part]] = {}
    for part in parts:
        for name, each in part.get(kind, {}).items():
            found.setdefault(name, []).append(each)
    return found
