"""Private instances that serve the targets of a study: each level has the tiers of its targets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from igen.study.targets import named_targets

TIER_MONITOR = "tier"


class Serving(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A private instance that serves some of a study's targets."""

    targets: list[str]
    """Targets as jobs name them, with patterns expanded."""
    tiers: list[dict[str, Any]]
    """Tiers as jobs have them."""
    pids: list[int]
    """Helper processes that belong to no tier."""

    @property
    def pids_of_tiers(self) -> list[int]:
        """Process ids of all its tiers."""
        return [pid for tier in self.tiers for pid in tier["match"]["pids"]]


class Servers(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The private instances of a study that are running now; a resumed run may have others."""

    loaded: list[Serving] = []
    """Instances that serve its targets."""
    named: dict[str, list[int]] = {}
    """Process ids by the words by which its tiers name them: `shop-1/data`, `postgresql-1`."""


def named_instance(tier: Any) -> str | None:
    """What a tier of this machine says of an instance. None where it names none, or says too much for the
    agent to take it.
    """
    source = tier.get("match") if isinstance(tier, dict) and "host" not in tier else None
    if not isinstance(source, dict) or list(source) != ["instance"]:
        return None
    name = source["instance"]
    return name if isinstance(name, str) else None


def with_tiers_of(servers: Servers, job: dict[str, Any]) -> dict[str, Any]:
    """The job with the tiers of those `servers` that its targets load, unless it names tiers itself: these
    get their processes.

    A level may load fewer targets than its study: a server that idles has no place among its tiers.
    """
    if isinstance(tiers := job.get("tiers"), list):
        return {**job, "tiers": [_with_processes(servers.named, tier) for tier in tiers]}
    if tiers is not None:
        return job
    targets = named_targets(job)
    loaded = [server for server in servers.loaded if any(target in targets for target in server.targets)]
    if not loaded:
        return job
    pids = [*job.get("pids", []), *(pid for server in loaded for pid in server.pids)]
    monitors = job.get("monitors")
    if monitors is not None and TIER_MONITOR not in monitors:
        # Whoever names monitors, and not this one, gets processes that are nobody's who disturbs.
        return {**job, "pids": [*pids, *(pid for server in loaded for pid in server.pids_of_tiers)]}
    return {**job, "pids": pids, "tiers": [tier for server in loaded for tier in server.tiers]}


def _with_processes(named: Mapping[str, list[int]], tier: Any) -> Any:
    """Return the targets; the agent refuses malformed ones."""
    pids = named.get(named_instance(tier) or "")
    return tier if pids is None else {**tier, "match": {"pids": pids}}
