"""Tiers as an aspect."""

from __future__ import annotations

from igen.aspects.tier.measure import tiers_of, unattributed
from igen.aspects.tier.observe import tier_observations
from igen.aspects.tier.parts import Tiers
from igen.aspects.tier.places import MONITOR
from igen.judge.aspect import Aspect

TIER = Aspect(
    name="tier",
    level_part=Tiers,
    measure=tiers_of,
    check_level=unattributed,
    observe=tier_observations,
    monitors=(MONITOR,),
    passing_facts=("tier.*", "tier_host.*"),
)
