"""The hit ratio of an application's cache at one level."""

from __future__ import annotations

from igen.aspects.cache.parts import CacheHits
from igen.facts import TARGET_CACHE_HITS, TARGET_CACHE_MISSES
from igen.judge.aspect import LevelRuns
from igen.judge.figure.interval import mean_interval


def cache_hits_of(runs: LevelRuns) -> CacheHits | None:
    """None unless each run that counts tells it, and asked the cache for something."""
    found = [_counted(run.recording.facts) for run in runs.used]
    told = [each for each in found if each is not None and each != (0, 0)]
    if not told or len(told) < len(found):
        return None
    return CacheHits(
        hits=sum(hits for hits, _ in told),
        lookups=sum(hits + misses for hits, misses in told),
        hit_percent=mean_interval([100 * hits / (hits + misses) for hits, misses in told]),
    )


def _counted(facts: dict[str, object]) -> tuple[int, int] | None:
    hits, misses = facts.get(TARGET_CACHE_HITS), facts.get(TARGET_CACHE_MISSES)
    return (hits, misses) if isinstance(hits, int) and isinstance(misses, int) else None
