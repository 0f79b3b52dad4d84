"""The machines that a job's tiers name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from igen.machine_name import machine_names
from igen.monitors.said import Machine

SHORTEST_S, LONGEST_S = 0.1, 1.0
"""Time between readings: an interval of the job, within these bounds."""


def machines_of(job: Mapping[str, Any]) -> list[Machine]:
    """Each once, with the tiers that are told apart there."""
    tiers: dict[str, dict[str, str]] = {}
    for tier in job.get("tiers") or []:
        if host := tier.get("host"):
            of_host = tiers.setdefault(host, {})
            if "match" in tier:
                there = {name: value for name, value in tier.items() if name != "host"}
                of_host[tier["name"]] = msgspec.json.encode(there).decode()
    interval_s = min(max(float(job["phases"]["interval_s"]), SHORTEST_S), LONGEST_S)
    names = machine_names(tiers)
    return [
        Machine(
            host=host,
            name=names[host],
            tiers=tuple(found.values()),
            tier_names=tuple(found),
            interval_s=interval_s,
        )
        for host, found in tiers.items()
    ]
