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
    if highest is None or found is None or system.scaling:
        return
    known = [tier for tier in found.tiers if tier.cpu_percent.low is not None]
    if len(known) < len(found.tiers):
        return
    first, *others = sorted(known, key=lambda tier: -tier.cpu_percent.value)
    at = load(system, highest)
    runs = f"{first.cpu_percent.n} runs of {at}, the highest valid load"
    if all(_ends(tier.cpu_percent)[1] < FILLS_PERCENT for tier in known):
        if found.share_processors and not _is_below(found.host_cpu_percent, FILLS_PERCENT):
            return  # Each is far from its own limit, and together they may be near that of the host.
        text = f"No tier is half full at {at}: the busiest is {first.name}, {_of(first)}."
        evidence = f"95 % intervals below {FILLS_PERCENT:g} % of each tier's processors, {runs}"
        yield Observation(text=text, evidence=evidence)
        return
    low = _ends(first.cpu_percent)[0]
    if low < FILLS_PERCENT or any(_ends(tier.cpu_percent)[1] >= low for tier in others):
        return
    # One that may use all processors of the host is held back by the others, not by a limit of its own.
    if found.share_processors and first.capacity_processors >= found.host_processors:
        text = f"The {first.name} tier uses most of the processors that the tiers share: {_of(first)} at {at}"
        if found.host_cpu_percent is not None:
            text += f"; the host was {found.host_cpu_percent:.0f} % busy"
    elif others:
        text = f"The {first.name} tier is the first to fill up: {_of(first)} at {at}"
        text += f"; next is {others[0].name} with {others[0].cpu_percent.value:.0f} %"
    else:
        text = f"The {first.name} tier fills up: {_of(first)} at {at}"
    yield Observation(
        text=f"{text}.",
        evidence=f"its 95 % interval is above those of all other tiers and {FILLS_PERCENT:g} %, {runs}",
    )


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
