"""What a workload does when `igen run` is told nothing but its name, where that depends on the machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def with_run_defaults(flags: Mapping[str, Any], defaults: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the flags with the workload's own defaults for those that were not given.

    Open loads and searches stay as they are, and flags without `repeats` do not get any.
    `fill` is true if the load that fills the server is to be found. `defaults` are the
    agent's: users, repeats, `warmup_s`, `measure_s` and perhaps `think_time`; most workloads have None.
    """
    if not defaults or flags.get("rate") or flags.get("find_peak"):
        return dict(flags)
    filled = {**flags, "users": flags.get("users") or list(defaults["users"])}
    # Few users who think leave a server idle: their levels say at which load it would be full.
    filled["fill"] = not flags.get("users") and defaults.get("think_time") is not None
    if "repeats" in flags:
        filled["repeats"] = flags["repeats"] or defaults["repeats"]
    if flags.get("think_time") is None and flags.get("pace") is None:
        filled["think_time"] = defaults.get("think_time")
    if flags.get("duration") is None and flags.get("warmup") in (None, "auto"):
        filled |= {"duration": f"{defaults['measure_s']}s", "warmup": f"{defaults['warmup_s']}s"}
    return filled


def defaults_of(workload: str) -> Mapping[str, Any] | None:
    """What the agent says of that workload; None also where it does not know it."""
    from igen.fleet.agent import Agent

    known = {each["name"]: each for each in Agent().list("workloads")}
    defaults: Mapping[str, Any] | None = known.get(workload, {}).get("run_defaults")
    return defaults
