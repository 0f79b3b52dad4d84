"""What a workload does when `igen run` is told nothing but its name, where that depends on the machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def with_run_defaults(flags: Mapping[str, Any], defaults: Mapping[str, Any] | None) -> dict[str, Any]:
    """The flags with the workload's own defaults where they say nothing; as they are for other loads.

    `defaults` are the agent's: users, repeats, `warmup_s`, `measure_s` and perhaps `think_time`; None of
    most workloads.
    """
    if not defaults or flags["rate"] or flags["find_peak"]:
        return dict(flags)
    filled = dict(flags) | {
        "users": flags["users"] or list(defaults["users"]),
        "repeats": flags["repeats"] or defaults["repeats"],
    }
    if flags["think_time"] is None and flags["pace"] is None:
        filled["think_time"] = defaults.get("think_time")
    if flags["duration"] is None and flags["warmup"] == "auto":
        filled |= {"duration": f"{defaults['measure_s']}s", "warmup": f"{defaults['warmup_s']}s"}
    return filled


def defaults_of(workload: str) -> Mapping[str, Any] | None:
    """What the agent says of that workload; None also where it does not know it."""
    from igen.fleet.agent import Agent

    known = {each["name"]: each for each in Agent().list("workloads")}
    defaults: Mapping[str, Any] | None = known.get(workload, {}).get("run_defaults")
    return defaults
