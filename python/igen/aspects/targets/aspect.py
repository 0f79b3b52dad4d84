"""Several targets side by side as an aspect."""

from __future__ import annotations

from igen.aspects.targets.measure import targets_of
from igen.aspects.targets.observe import target_observations
from igen.aspects.targets.parts import Targets
from igen.judge.aspect import Aspect

TARGETS = Aspect(name="targets", level_part=Targets, measure=targets_of, observe=target_observations)
