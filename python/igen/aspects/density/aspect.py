"""Users for each watt and rack unit as an aspect."""

from __future__ import annotations

from igen.aspects.density.measure import density_observations, density_of
from igen.aspects.density.parts import Density
from igen.judge.aspect import Aspect

DENSITY = Aspect(name="density", system_part=Density, sum_up=density_of, observe=density_observations)
