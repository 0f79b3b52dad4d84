"""Database servers as an aspect."""

from __future__ import annotations

from igen.aspects.server.measure import server_of, server_warnings
from igen.aspects.server.observe import server_observations
from igen.aspects.server.parts import SERVER_MONITORS, Server
from igen.judge.aspect import Aspect

SERVER = Aspect(
    name="server",
    level_part=Server,
    measure=server_of,
    warn=server_warnings,
    observe=server_observations,
    monitors=SERVER_MONITORS,
    passing_facts=("*.bytes_per_customer",),
)
