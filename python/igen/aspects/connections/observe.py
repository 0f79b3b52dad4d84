"""The version of HTTP and the number of connections: both change what a request costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from igen.facts import INSTANCES_SETTINGS, TARGET_PROTOCOL, TARGET_STREAMS, TARGET_TLS
from igen.judge.curve.named import load_of
from igen.judge.record.target import target_schemes
from igen.judge.result import Finding, Level, Part, System
from igen.judge.trust.finding import finding, parts_of

WORKLOADS = ("http", "web")
HTTP2 = "HTTP/2"
NODES = INSTANCES_SETTINGS.of("nodes")
"""Fact: applications of a private shop."""


def connection_observations(system: System, _: Sequence[Level]) -> Iterator[Finding]:
    """Yield the connections of the level with the most requests, whatever its figures are worth; nothing if
    the version of HTTP is unknown."""
    protocol = system.facts.get(TARGET_PROTOCOL.of(system.workload))
    asked = [level for level in system.levels if _count(level, "requests")]
    if system.workload not in WORKLOADS or not protocol or not asked:
        return
    level = max(asked, key=lambda level: _count(level, "requests"))
    counts = {name: _count(level, name) for name in ("requests", "connections")}
    if target_schemes(system.targets) == {"https"}:
        counts["resumed_tls_handshakes"] = _count(level, "resumed_tls_handshakes")
    tls = system.facts.get(TARGET_TLS.of(system.workload), "none")
    yield finding(
        "http-connections",
        load_of(system, level),
        *([Part(name="tls", text=str(tls))] if tls != "none" else []),
        *parts_of(counts),
        because=_requests_at_once(system) if protocol == HTTP2 else [],
        protocol=str(protocol),
        targets=len(system.targets),
    )


def _requests_at_once(system: System) -> list[Finding]:
    """Return how many requests one connection of HTTP/2 carries at once."""
    if system.workload != "web":
        return [finding("one-request-at-once")]
    return [finding("requests-at-once", streams=str(system.facts.get(TARGET_STREAMS.of(system.workload))))]


def balancer_observations(system: System, _: Sequence[Level]) -> Iterator[Finding]:
    """Yield who deals users to several servers, and requests to several applications behind one of them.

    A balancer that is not a private instance is unknown: it is one target.
    """
    if system.workload not in WORKLOADS:
        return
    targets = max((level.instances for level in system.levels), default=1)
    if targets > 1:
        yield finding("users-dealt-to-targets", targets=targets)
    nodes = str(system.facts.get(NODES, ""))
    if nodes.isdecimal() and int(nodes) > 1:
        yield finding("requests-dealt-to-nodes", nodes=int(nodes), targets=len(system.targets))


def _count(level: Level, counter: str) -> int:
    """Return a counter; counters of zero are left out of a level."""
    return level.counters[counter].count if counter in level.counters else 0
