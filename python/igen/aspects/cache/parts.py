"""What the cache of an application adds to a level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from igen.judge.figure.figure import Figure
from igen.judge.result import LevelPart


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheHits(LevelPart):
    """How often the cache of an application had the answer, as the application itself counted it."""

    kind: Literal["cache"] = "cache"
    hits: int
    lookups: int
    """Over the measured time of all runs that count; the caches of several applications together."""
    hit_percent: Figure
    """0 to 100, with its interval over runs."""
