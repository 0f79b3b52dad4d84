"""Lookups that an application's cache answered, as a finding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from igen.aspects.cache.parts import CacheHits
from igen.judge.curve.load import level_value
from igen.judge.curve.named import load_of
from igen.judge.result import Finding, Level, System, aspect
from igen.judge.trust.finding import figure, finding
from igen.judge.trust.usable import is_sound


def cache_observations(system: System, levels: Sequence[Level]) -> Iterator[Finding]:
    """Yield the hit ratio at the highest VALID load at which it is known."""
    valid = [level for level in levels if is_sound(level) and aspect(level, CacheHits)]
    highest = max(valid, key=level_value, default=None)
    found = aspect(highest, CacheHits) if highest else None
    if highest is None or found is None:
        return
    yield finding(
        "cache-hits",
        load_of(system, highest),
        figure("hit_percent", found.hit_percent),
        lookups=found.lookups,
    )
