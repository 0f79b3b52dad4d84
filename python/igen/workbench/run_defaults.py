"""Defaults of `igen run` that depend on the workload and the machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from igen.ask.asked import Asked
from igen.ask.load import AUTO


def with_run_defaults(asked: Asked, defaults: Mapping[str, Any] | None) -> Asked:
    """Return the answers with the workload's own defaults for questions that are left open.

    Open loads and searches stay as they are. `fill` is true if the load that fills the server is to be found.
    `defaults` are the agent's: users, repeats, `warmup_s`, `measure_s` and perhaps `think_time`; most
    workloads have None.
    """
    if not defaults or asked.rate or asked.find_peak:
        return asked
    filled: dict[str, Any] = {
        "users": asked.users or list(defaults["users"]),
        # A few users with think times leave a server idle: their levels show at which load it would be full.
        "fill": not asked.users and defaults.get("think_time") is not None,
        "repeats": asked.repeats or defaults["repeats"],
    }
    if asked.think_time is None and asked.pace is None:
        filled["think_time"] = defaults.get("think_time")
    if asked.duration is None and asked.warmup in (None, AUTO):
        filled |= {"duration": f"{defaults['measure_s']}s", "warmup": f"{defaults['warmup_s']}s"}
    return replace(asked, **filled)


def defaults_of(workload: str) -> Mapping[str, Any] | None:
    """Return the agent's description of the workload; None if it is unknown."""
    from igen.fleet.agent import Agent

    known = {each["name"]: each for each in Agent().list("workloads")}
    defaults: Mapping[str, Any] | None = known.get(workload, {}).get("run_defaults")
    return defaults
