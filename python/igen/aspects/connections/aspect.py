"""Connections to web servers as an aspect."""

from __future__ import annotations

from igen.aspects.connections.observe import connection_observations
from igen.judge.aspect import Aspect

CONNECTIONS = Aspect(name="connections", observe=connection_observations)
