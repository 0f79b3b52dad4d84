"""How much of the load an application's cache kept from what is behind it, in a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from igen.aspects.cache.parts import CacheHits
from igen.judge.load import level_value
from igen.judge.result import Estimate, Level, Observation, System, aspect
from igen.judge.wording import load
from igen.units import format_count, format_number


def cache_observations(system: System, levels: Sequence[Level]) -> Iterator[Observation]:
    """At the highest VALID load that tells it."""
    valid = [level for level in levels if level.verdict == "VALID" and aspect(level, CacheHits)]
    highest = max(valid, key=level_value, default=None)
    found = aspect(highest, CacheHits) if highest else None
    if highest is None or found is None:
        return
    yield Observation(
        text=(
            f"The application's cache answered {hit_ratio(found.hit_percent)} of "
            f"{format_count(found.lookups)} lookups at {load(system, highest)}: the rest reached what is "
            "behind it."
        ),
        evidence="the application's own counters, from the begin of MEASURE to its end",
    )


def hit_ratio(percent: Estimate) -> str:
    """`97.3 % (97.1 to 97.4 %)`."""
    value = f"{format_number(percent.value, 3)} %"
    if percent.low is None or percent.high is None:
        return value
    low, high = max(percent.low, 0.0), min(percent.high, 100.0)
    return f"{value} ({format_number(low, 3)} to {format_number(high, 3)} %)"
