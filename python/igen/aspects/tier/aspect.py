"""Tiers as an aspect."""

from __future__ import annotations

from igen.aspects.tier.host_tables import tier_hosts_table
from igen.aspects.tier.measure import tiers_of, unattributed
from igen.aspects.tier.observe import tier_observations
from igen.aspects.tier.parts import Tiers
from igen.aspects.tier.pictures import tier_section
from igen.aspects.tier.places import MONITOR
from igen.aspects.tier.tables import tiers_table
from igen.judge.aspect import Aspect

TIER = Aspect(
    name="tier",
    level_part=Tiers,
    measure=tiers_of,
    check_level=unattributed,
    observe=tier_observations,
    tables=(("Tiers", tiers_table), ("Machines of tiers", tier_hosts_table)),
    pictures=tier_section,
    monitors=(MONITOR,),
    passing_facts=("tier.*", "tier_host.*"),
)
