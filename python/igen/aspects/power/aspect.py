"""Watts, and disks that a system takes the place of, as an aspect."""

from __future__ import annotations

from igen.aspects.power.columns import power_columns
from igen.aspects.power.measure import MONITOR, power_of
from igen.aspects.power.merit import merit_observations, merit_of, meter_not_read
from igen.aspects.power.parts import Merit, Power
from igen.judge.aspect import Aspect

POWER = Aspect(
    name="power",
    level_part=Power,
    system_part=Merit,
    measure=power_of,
    sum_up=merit_of,
    check_system=meter_not_read,
    observe=merit_observations,
    columns={"resources": power_columns},
    monitors=(MONITOR,),
)
