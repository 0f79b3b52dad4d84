"""The log and what was stored, as an aspect."""

from __future__ import annotations

from igen.aspects.durability.log import log_of
from igen.aspects.durability.parts import Durability
from igen.aspects.durability.stored import stored_observations, stored_of
from igen.aspects.durability.tables import log_table
from igen.judge.aspect import Aspect, LevelRuns


def durability_of(runs: LevelRuns) -> Durability | None:
    """None where nobody counted what was written, and nothing was compared."""
    log, stored = log_of(runs.used), stored_of(runs.all)
    return Durability(log=log, stored=stored) if log or stored else None


DURABILITY = Aspect(
    name="durability",
    level_part=Durability,
    measure=durability_of,
    observe=stored_observations,
    tables=(("Log of the database", log_table),),
)
