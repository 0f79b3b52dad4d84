"""Database servers as an aspect."""

from __future__ import annotations

from igen.aspects.server.measure import other_clients_of, server_of
from igen.aspects.server.observe import server_observations
from igen.aspects.server.parts import SERVER_MONITORS, Server
from igen.aspects.server.tables import server_table, waits_table
from igen.judge.aspect import Aspect

SERVER = Aspect(
    name="server",
    level_part=Server,
    measure=server_of,
    check_level=other_clients_of,
    observe=server_observations,
    tables=(("Server", server_table),),
    tables_of_level=(waits_table,),
    monitors=SERVER_MONITORS,
)
