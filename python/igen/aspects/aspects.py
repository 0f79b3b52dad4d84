"""The list of all aspects: their sentences stand in this order in a report."""

from __future__ import annotations

from igen.aspects.cache.aspect import CACHE
from igen.aspects.command.aspect import COMMAND
from igen.aspects.conflicts.aspect import CONFLICTS
from igen.aspects.connections.aspect import CONNECTIONS
from igen.aspects.density.aspect import DENSITY
from igen.aspects.directory.aspect import DIRECTORY
from igen.aspects.durability.aspect import DURABILITY
from igen.aspects.memory.aspect import MEMORY
from igen.aspects.power.aspect import POWER
from igen.aspects.published.aspect import PUBLISHED
from igen.aspects.scan.aspect import SCAN
from igen.aspects.server.aspect import SERVER
from igen.aspects.slamd.aspect import SLAMD
from igen.aspects.sqlite.aspect import SQLITE
from igen.aspects.storage.aspect import STORAGE
from igen.aspects.targets.aspect import TARGETS
from igen.aspects.tier.aspect import TIER
from igen.aspects.torture.aspect import TORTURE

ASPECTS = (
    MEMORY,
    SQLITE,
    SERVER,
    CONFLICTS,
    COMMAND,
    CONNECTIONS,
    TIER,
    CACHE,
    STORAGE,
    SCAN,
    POWER,
    DENSITY,
    TARGETS,
    DIRECTORY,
    DURABILITY,
    SLAMD,
    PUBLISHED,
    TORTURE,
)
