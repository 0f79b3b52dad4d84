"""Requests that were sent twice: the connection had closed while it rested, or the server refused them.

A browser hides them from its user, and so does the load: the report names their share and their price.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from igen.judge.limits import Finding
from igen.judge.load import level_value
from igen.judge.measured import MeasuredRun
from igen.judge.result import Level, Observation, System
from igen.judge.wording import load
from igen.units import format_count, format_number

NOTABLE_SHARE = 0.001
"""Share of requests that were repeated; a larger share is an observation."""
LARGEST_SHARE = 0.01
"""From here on the load is another one than what was asked for."""
REPEATED = "repeated_requests"
REPEATED_US = "repeated_us"
"""Counter: time from the first to the second time that these requests were sent."""


def repeated_too_often(run: MeasuredRun) -> Iterator[Finding]:
    """Yield a finding if too many requests of a run were sent twice."""
    share = _share(run.counters)
    if share > LARGEST_SHARE:
        text = (
            f"{100 * share:.2g} % of the requests were sent twice (limit {100 * LARGEST_SHARE:g} %): "
            f"{_why(run.counters)}"
        )
        yield Finding("SUSPECT", "repeated requests", text)


def repeated_observations(system: System, _: Sequence[Level]) -> Iterator[Observation]:
    """Yield the share of repeated requests and their price, at the load where the share is the largest."""
    counts = [(level, {name: each.count for name, each in level.counters.items()}) for level in system.levels]
    level, found = max(counts, key=lambda pair: (_share(pair[1]), level_value(pair[0])), default=(None, {}))
    share = _share(found)
    if level is None or share <= NOTABLE_SHARE:
        return
    repeated, lost_ms = found[REPEATED], found.get(REPEATED_US, 0) / 1000
    of = f"{format_count(repeated)} of {format_count(found['requests'])}"
    text = (
        f"{100 * share:.2g} % of the requests at {load(system, level)} were sent twice ({of}): "
        f"{_why(found)}. Each lost {format_number(lost_ms / repeated, 2)} ms"
    )
    if level.response_time_ms and level.transactions:
        of_all = 100 * lost_ms / (level.response_time_ms.mean * level.transactions)
        text += f", together {format_number(of_all, 2)} % of all response time"
    yield Observation(
        text=f"{text}.",
        evidence=f"counters {REPEATED} and {REPEATED_US}: from the first sending of a request to the second",
    )


def _share(counters: Mapping[str, int]) -> float:
    """Return the share of requests that repeat one; 0 without requests."""
    requests = counters.get("requests", 0)
    return counters.get(REPEATED, 0) / requests if requests else 0.0


def _why(counters: Mapping[str, int]) -> str:
    """Return why requests were sent twice."""
    stale, refused = counters.get("stale_connections", 0), counters.get("refused_requests", 0)
    because = [
        *(["the server closed connections that rested"] if stale else ()),
        *(["the server refused requests"] if refused else ()),
    ]
    return " and ".join(because)
