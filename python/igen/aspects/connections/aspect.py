"""Connections to web servers as an aspect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from igen.aspects.connections.observe import balancer_observations, connection_observations
from igen.judge.aspect import Aspect
from igen.judge.result import Level, Observation, System


def _observations(system: System, levels: Sequence[Level]) -> Iterator[Observation]:
    yield from connection_observations(system, levels)
    yield from balancer_observations(system, levels)


CONNECTIONS = Aspect(
    name="connections",
    observe=_observations,
)
