"""Several targets side by side as an aspect."""

from __future__ import annotations

from igen.aspects.targets.measure import targets_of
from igen.aspects.targets.observe import target_observations
from igen.aspects.targets.parts import Targets
from igen.aspects.targets.tables import spread_table, targets_table
from igen.judge.aspect import Aspect

TARGETS = Aspect(
    name="targets",
    level_part=Targets,
    measure=targets_of,
    observe=target_observations,
    tables=(("Targets", spread_table),),
    tables_of_level=(targets_table,),
)
