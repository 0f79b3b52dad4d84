"""Utilisation of tiers and their machines, and the tier that fills first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from igen.aspects.tier.parts import TierResult, tiers_at
from igen.judge.curve.bound import bound_of
from igen.judge.result import Finding, Level, Part, System
from igen.judge.trust.finding import finding


def filled(level: Level) -> Mapping[str, float]:
    """Return the busy share of each tier, and the load's share of each machine that tiers share, 0 to 1.

    What programs of others use there is no part of it.
    """
    found = tiers_at(level)
    if found is None or found.not_read:
        return {}
    shares = {tier_name(tier): tier.cpu_percent.value / 100 for tier in found.tiers}
    for host in dict.fromkeys(tier.host for tier in found.tiers):
        # A tier that may use all of its machine cannot do so while others of the load work there.
        if found.share_processors(host):
            busy = sum(tier.busy_processors.value for tier in found.tiers if tier.host == host)
            beside = 0.0 if host else (found.driver_cpu_percent or 0) + (found.interrupts_cpu_percent or 0)
            shares[f"the whole of {host or 'this machine'}"] = busy / found.processors_of(host) + beside / 100
    return shares


def fills_first(system: System) -> Iterator[Finding]:
    """Yield the tier that fills first, and the number of users at which it does."""
    bound = bound_of(system.levels, filled)
    if bound is None or system.scaling:
        return
    yield finding(
        "resource-fills-first",
        *(Part(name="resource", text=resource) for resource in bound.resources),
        *(Part(name="level_users", figure=level.users or 0) for level in bound.levels),
        Part(name="throughput_per_s", figure=bound.per_s, text=system.transaction),
        users=bound.users,
    )


def tier_name(tier: TierResult) -> str:
    """Return `the web tier`, `the database tier on db1`."""
    return f"the {tier.name} tier on {tier.host}" if tier.host else f"the {tier.name} tier"
