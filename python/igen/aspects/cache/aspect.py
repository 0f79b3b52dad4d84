"""Caches of applications as an aspect."""

from __future__ import annotations

from igen.aspects.cache.measure import cache_hits_of
from igen.aspects.cache.observe import cache_observations
from igen.aspects.cache.parts import CacheHits
from igen.judge.aspect import Aspect

CACHE = Aspect(
    name="cache",
    level_part=CacheHits,
    measure=cache_hits_of,
    observe=cache_observations,
)
