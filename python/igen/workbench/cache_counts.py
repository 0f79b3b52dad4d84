"""Hits and misses of the caches of private instances, for studies that load them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from igen.errors import IgenError
from igen.facts import TARGET_CACHE_HITS, TARGET_CACHE_MISSES
from igen.instances.shop import Shop
from igen.instances.shop import cache_counts as counts_of
from igen.study.target_counts import Counts
from igen.workbench.tiers import loaded_instances


def cache_counts(job: Mapping[str, Any]) -> Counts | None:
    """Hits and misses of all private shops that a job loads; None unless all of them have a cache and answer,
    and where something else is loaded too, or the instances of this machine cannot be told.
    """
    try:
        shops = [one for one in loaded_instances(job) if one.kind == Shop.name]
    except IgenError:
        # A record that another command has broken costs a sentence, and not what is being measured.
        return None
    counts = [counts_of(one) for one in shops]
    known = [each for each in counts if each is not None]
    if not known or len(known) < len(job.get("targets") or []):
        return None
    return {
        TARGET_CACHE_HITS: sum(hits for hits, _ in known),
        TARGET_CACHE_MISSES: sum(misses for _, misses in known),
    }
