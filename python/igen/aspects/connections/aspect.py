"""Connections to web servers as an aspect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from igen.aspects.connections.observe import balancer_observations, connection_observations
from igen.aspects.connections.repeated import repeated_observations, repeated_too_often
from igen.judge.aspect import Aspect
from igen.judge.result import Finding, Level, System


def _observations(system: System, levels: Sequence[Level]) -> Iterator[Finding]:
    yield from connection_observations(system, levels)
    yield from balancer_observations(system, levels)
    yield from repeated_observations(system, levels)


CONNECTIONS = Aspect(
    name="connections",
    check=repeated_too_often,
    observe=_observations,
)
