"""What of this machine serves the targets of a study: each level has the tiers of those that it loads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from igen.study.targets import named_targets

TIER_MONITOR = "tier"


class Serving(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A private instance that serves some of a study's targets."""

    targets: list[str]
    """As jobs name them, patterns written out."""
    tiers: list[dict[str, Any]]
    """As jobs have them."""
    pids: list[int]
    """What works for the tiers and is none of them."""

    @property
    def pids_of_tiers(self) -> list[int]:
        """The processes of all its tiers."""
        return [pid for tier in self.tiers for pid in tier["match"]["pids"]]


def with_tiers_of(servers: Sequence[Serving], job: dict[str, Any]) -> dict[str, Any]:
    """The job with the tiers of those `servers` that its targets load, unless it names tiers itself.

    A level may load fewer targets than its study: a server that idles has no place among its tiers.
    """
    if job.get("tiers") is not None:
        return job
    targets = named_targets(job)
    loaded = [server for server in servers if any(target in targets for target in server.targets)]
    if not loaded:
        return job
    pids = [*job.get("pids", []), *(pid for server in loaded for pid in server.pids)]
    monitors = job.get("monitors")
    if monitors is not None and TIER_MONITOR not in monitors:
        # Whoever names monitors, and not this one, gets processes that are nobody's who disturbs.
        return {**job, "pids": [*pids, *(pid for server in loaded for pid in server.pids_of_tiers)]}
    return {**job, "pids": pids, "tiers": [tier for server in loaded for tier in server.tiers]}
