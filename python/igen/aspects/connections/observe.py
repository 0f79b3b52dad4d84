"""What was spoken with a web server, and how many connections that took: both change what a request costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from igen.facts import INSTANCES_SETTINGS, TARGET_PROTOCOL, TARGET_STREAMS, TARGET_TLS
from igen.judge.result import Level, Observation, System
from igen.judge.target import target_schemes
from igen.judge.wording import load
from igen.units import format_count

WORKLOADS = ("http", "web")
HTTP2 = "HTTP/2"
NODES = INSTANCES_SETTINGS.of("nodes")
"""Fact: applications of a private shop."""


def connection_observations(system: System, _: Sequence[Level]) -> Iterator[Observation]:
    """One sentence, about the level with the most requests, whatever its figures are worth; none where the
    version of HTTP is not told."""
    protocol = system.facts.get(TARGET_PROTOCOL.of(system.workload))
    asked = [level for level in system.levels if _count(level, "requests")]
    if system.workload not in WORKLOADS or not protocol or not asked:
        return
    tls = system.facts.get(TARGET_TLS.of(system.workload), "none")
    under = "without TLS" if tls == "none" else f"under {tls}"
    server = "The first server" if len(system.targets) > 1 else "The server"
    text = f"{server} spoke {protocol} {under}"
    if protocol == HTTP2:
        streams = system.facts.get(TARGET_STREAMS.of(system.workload))
        text += (
            f": one connection at a time for each user, with up to {streams} requests at once"
            if system.workload == "web"
            else ": one connection and one request at a time for each user"
        )
    level = max(asked, key=lambda level: _count(level, "requests"))
    at, encrypted = load(system, level), target_schemes(system.targets) == {"https"}
    yield Observation(
        text=f"{text}; at {at} {_made(level, encrypted=encrypted)}.",
        evidence=f"version as agreed with the first target; counters of {at} while that was measured",
    )


def balancer_observations(system: System, _: Sequence[Level]) -> Iterator[Observation]:
    """Who deals users to several servers, and requests to several applications behind one of them.

    Of a balancer that is no private instance nobody knows: it is one target.
    """
    if system.workload not in WORKLOADS:
        return
    targets = max((level.instances for level in system.levels), default=1)
    if targets > 1:
        yield Observation(
            text=f"iGen was the balancer: it dealt its users to the {targets} targets in turn, each to one.",
            evidence="targets of the job; a balancer before the nodes would be one target",
        )
    nodes = str(system.facts.get(NODES, ""))
    if nodes.isdecimal() and int(nodes) > 1:
        which = "Each shop" if len(system.targets) > 1 else "The shop"
        yield Observation(
            text=(
                f"{which} had a balancer of its own, its web tier: it dealt requests to {nodes} applications "
                "in turn."
            ),
            evidence="the setting with which the private instance was made",
        )


def _made(level: Level, *, encrypted: bool) -> str:
    """`1,200 connections were made for 6,000 requests, 1,188 of them with a resumed TLS session`; nothing of
    sessions unless all connections are `encrypted`."""
    requests, made = _count(level, "requests"), _count(level, "connections")
    if not made:
        return f"no connection was made for {format_count(requests)} requests"
    were = "connection was" if made == 1 else "connections were"
    text = f"{format_count(made)} {were} made for {format_count(requests)} requests"
    if encrypted:
        resumed = _count(level, "resumed_tls_handshakes")
        text += f", {format_count(resumed) if resumed else 'none'} of them with a resumed TLS session"
    return text


def _count(level: Level, counter: str) -> int:
    """Counters of zero are left out of a level."""
    return level.counters[counter].count if counter in level.counters else 0
