"""Tiers as an aspect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from igen.aspects.tier.full import filled, fills_first
from igen.aspects.tier.host_tables import tier_hosts_table
from igen.aspects.tier.measure import tiers_of, unattributed
from igen.aspects.tier.memory import memory_of, memory_table
from igen.aspects.tier.observe import tier_observations
from igen.aspects.tier.parts import Tiers, TiersMemory
from igen.aspects.tier.pictures import tier_section
from igen.aspects.tier.places import MONITOR
from igen.aspects.tier.tables import tiers_table
from igen.judge.aspect import Aspect, Views
from igen.judge.result import Finding, Level, System


def _observations(system: System, levels: Sequence[Level]) -> Iterator[Finding]:
    yield from tier_observations(system, levels)
    yield from fills_first(system)


TIER = Aspect(
    name="tier",
    level_part=Tiers,
    system_part=TiersMemory,
    measure=tiers_of,
    sum_up=memory_of,
    check_level=unattributed,
    observe=_observations,
    fill=filled,
    tables=(
        ("Tiers", tiers_table),
        ("Memory of tiers", memory_table),
        ("Machines of tiers", tier_hosts_table),
    ),
    sections={"pictures": Views(tier_section)},
    monitors=(MONITOR,),
)
