"""The tier that fills up first, if one surely does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from igen.aspects.tier.parts import TierResult, Tiers, tiers_at
from igen.judge.curve.load import level_value
from igen.judge.curve.named import load_of
from igen.judge.result import Finding, Level, Part, System
from igen.judge.trust.finding import figure, finding, parts_of
from igen.judge.trust.usable import is_sound

FILLS_PERCENT = 50.0
"""A tier that is surely less busy than this is not about to fill up."""


def tier_observations(system: System, levels: Sequence[Level]) -> Iterator[Finding]:
    """Yield the tier that is surely the fullest at the highest VALID load, or that no tier is half full."""
    valid = [level for level in levels if is_sound(level) and tiers_at(level)]
    highest = max(valid, key=level_value, default=None)
    found = tiers_at(highest) if highest else None
    if highest is None or found is None or system.scaling or found.not_read:
        return
    known = [tier for tier in found.tiers if tier.cpu_percent.low is not None]
    if len(known) < len(found.tiers):
        return
    first, *others = sorted(known, key=lambda tier: -tier.cpu_percent.value)
    if all(tier.cpu_percent.against(FILLS_PERCENT, FILLS_PERCENT) == "below" for tier in known):
        if _is_a_host_near_its_limit(found):
            return
        rule, further = "no-tier-half-full", []
    elif first.cpu_percent.against(least=FILLS_PERCENT) != "within" or not all(
        tier.cpu_percent.against(*first.cpu_percent.ends() or ()) == "below" for tier in others
    ):
        return
    # One that may use all processors of its host is held back by the others there, not by a limit of its own.
    elif found.share_processors(first.host) and first.capacity_processors >= found.processors_of(first.host):
        busy = found.cpu_percent_of(first.host)
        rule, further = "tiers-share-processors", parts_of({} if busy is None else {"host_cpu_percent": busy})
    elif others:
        rule, further = "tier-fills-first", list(_tier(others[0], "next_"))
    else:
        rule, further = "tier-fills", []
    yield finding(
        rule,
        load_of(system, highest),
        *_tier(first),
        *further,
        limit=FILLS_PERCENT,
        unit="percent",
        processors=first.capacity_processors,
        runs=first.cpu_percent.n,
    )


def _is_a_host_near_its_limit(found: Tiers) -> bool:
    """Return True if tiers that are far from their own limits may be near that of their host together."""
    return any(
        found.share_processors(host) and not _is_below(found.cpu_percent_of(host), FILLS_PERCENT)
        for host in {tier.host for tier in found.tiers}
    )


def _tier(tier: TierResult, prefix: str = "") -> Iterator[Part]:
    """Yield the name of a tier, its machine if that is not the load machine, and how busy it was."""
    yield Part(name=f"{prefix}tier", text=tier.name)
    if tier.host:
        yield Part(name=f"{prefix}host", text=tier.host)
    yield figure(f"{prefix}cpu_percent", tier.cpu_percent)


def _is_below(value: float | None, limit: float) -> bool:
    return value is not None and value < limit
