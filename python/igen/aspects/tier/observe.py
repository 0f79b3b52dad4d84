"""Which tier fills up first, in a sentence that is written only where it is true."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from igen.aspects.tier.parts import TierResult, tiers_at
from igen.judge.load import level_value
from igen.judge.result import Estimate, Level, Observation, System
from igen.judge.wording import load
from igen.units import format_number

FILLS_PERCENT = 50.0
"""A tier that is surely less busy than this is not about to fill up."""


def tier_observations(system: System, levels: Sequence[Level]) -> Iterator[Observation]:
    """At the highest VALID load: the tier that is surely the fullest, or that none is half full."""
    valid = [level for level in levels if level.verdict == "VALID" and tiers_at(level)]
    highest = max(valid, key=level_value, default=None)
    found = tiers_at(highest) if highest else None
    if highest is None or found is None or system.scaling or found.not_read:
        return
    known = [tier for tier in found.tiers if tier.cpu_percent.low is not None]
    if len(known) < len(found.tiers):
        return
    first, *others = sorted(known, key=lambda tier: -tier.cpu_percent.value)
    at = load(system, highest)
    runs = f"{first.cpu_percent.n} runs of {at}, the highest valid load"
    if all(_ends(tier.cpu_percent)[1] < FILLS_PERCENT for tier in known):
        for host in dict.fromkeys(tier.host for tier in found.tiers):
            if found.share_processors(host) and not _is_below(found.cpu_percent_of(host), FILLS_PERCENT):
                return  # Each is far from its own limit, and together they may be near that of the host.
        text = f"No tier is half full at {at}: the busiest is {_named(first)}, {_of(first)}."
        evidence = f"95 % intervals below {FILLS_PERCENT:g} % of each tier's processors, {runs}"
        yield Observation(text=text, evidence=evidence)
        return
    low = _ends(first.cpu_percent)[0]
    if low < FILLS_PERCENT or any(_ends(tier.cpu_percent)[1] >= low for tier in others):
        return
    # One that may use all processors of its host is held back by the others there, not by a limit of its own.
    shares = found.share_processors(first.host)
    if shares and first.capacity_processors >= found.processors_of(first.host):
        sharing = f"the tiers of {first.host}" if first.host else "the tiers"
        text = f"The {first.name} tier uses most of the processors that {sharing} share: {_of(first)} at {at}"
        if (busy := found.cpu_percent_of(first.host)) is not None:
            text += f"; {first.host or 'the host'} was {busy:.0f} % busy"
    elif others:
        text = f"The {_tier(first)} is the first to fill up: {_of(first)} at {at}"
        text += f"; next is {_named(others[0])} with {others[0].cpu_percent.value:.0f} %"
    else:
        text = f"The {_tier(first)} fills up: {_of(first)} at {at}"
    yield Observation(
        text=f"{text}.",
        evidence=f"its 95 % interval is above those of all other tiers and {FILLS_PERCENT:g} %, {runs}",
    )


def _named(tier: TierResult) -> str:
    """`web`, `database on db1`."""
    return f"{tier.name} on {tier.host}" if tier.host else tier.name


def _tier(tier: TierResult) -> str:
    """`web tier`, `database tier on db1`."""
    return f"{tier.name} tier on {tier.host}" if tier.host else f"{tier.name} tier"


def _of(tier: TierResult) -> str:
    """`76 % (74 to 78 %) of 8 processors`."""
    low, high = _ends(tier.cpu_percent)
    capacity = tier.capacity_processors
    count = f"{capacity:.0f}" if capacity == int(capacity) else format_number(capacity, 2)
    processors = "processor" if capacity == 1 else "processors"
    return f"{tier.cpu_percent.value:.0f} % ({low:.0f} to {high:.0f} %) of {count} {processors}"


def _ends(estimate: Estimate) -> tuple[float, float]:
    low = estimate.value if estimate.low is None else estimate.low
    high = estimate.value if estimate.high is None else estimate.high
    return low, high


def _is_below(value: float | None, limit: float) -> bool:
    return value is not None and value < limit
