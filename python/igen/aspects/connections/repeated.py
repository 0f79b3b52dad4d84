"""Requests that were sent twice: the connection had closed while it rested, or the server refused them.

A browser hides them from its user, and so does the load: the report names their share and their price.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from igen.judge.curve.load import level_value
from igen.judge.curve.named import load_of
from igen.judge.result import Finding, Level, System
from igen.judge.run.measured import MeasuredRun
from igen.judge.trust.finding import finding, parts_of

NOTABLE_SHARE = 0.001
"""Share of requests that were repeated; a larger share is an observation."""
LARGEST_SHARE = 0.01
"""From here on the load is another one than what was asked for."""
REPEATED = "repeated_requests"
REPEATED_US = "repeated_us"
"""Counter: time from the first to the second time that these requests were sent."""
STALE, REFUSED = "stale_connections", "refused_requests"
"""Counters: why they were sent twice."""


def repeated_too_often(run: MeasuredRun) -> Iterator[Finding]:
    """Yield a finding if too many requests of a run were sent twice."""
    share = _share(run.counters)
    if share > LARGEST_SHARE:
        yield finding(
            "repeated-requests",
            *parts_of(_causes(run.counters)),
            limit=100 * LARGEST_SHARE,
            unit="percent",
            share_percent=100 * share,
        )


def repeated_observations(system: System, _: Sequence[Level]) -> Iterator[Finding]:
    """Yield the share of repeated requests and their price, at the load with the largest share."""
    counts = [(level, {name: each.count for name, each in level.counters.items()}) for level in system.levels]
    level, found = max(counts, key=lambda pair: (_share(pair[1]), level_value(pair[0])), default=(None, {}))
    share = _share(found)
    if level is None or share <= NOTABLE_SHARE:
        return
    repeated, lost_ms = found[REPEATED], found.get(REPEATED_US, 0) / 1000
    of_all = {}
    if level.response_time_ms and level.transactions:
        all_ms = level.response_time_ms.mean * level.transactions
        of_all = {"response_time_percent": 100 * lost_ms / all_ms}
    yield finding(
        "requests-sent-twice",
        load_of(system, level),
        *parts_of(_causes(found)),
        *parts_of(of_all),
        share_percent=100 * share,
        repeated_requests=repeated,
        requests=found["requests"],
        lost_each_ms=lost_ms / repeated,
    )


def _share(counters: Mapping[str, int]) -> float:
    """Return the share of requests that repeat one; 0 without requests."""
    requests = counters.get("requests", 0)
    return counters.get(REPEATED, 0) / requests if requests else 0.0


def _causes(counters: Mapping[str, int]) -> dict[str, int]:
    """Return how many requests were sent twice for each cause."""
    return {name: counters[name] for name in (STALE, REFUSED) if counters.get(name)}
