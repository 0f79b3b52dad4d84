"""Arguments of tools that do more than inspect the machine."""

from __future__ import annotations

from typing import Any

HARMLESS = {
    "audit": {"duration", "rows"},
    "compiler": {"file", "pid"},
    "pages": {"pages"},
    "pfp": {"duration", "pid", "cgroup", "thresholds", "budget", "exact"},
    "ripc": {"duration", "pid"},
    "schedule": {"ways", "rounds", "limit"},
    "shmalloc": {"pages", "threads"},
    "tunables": {"all", "area", "pid"},
}
"""Arguments that start no program, take no memory and need no rights beyond those to look.

An argument that is not named here is a danger, so that a new one is not let in unseen.
"""


def is_danger(tool: str, argument: dict[str, Any]) -> bool:
    """Return True if this argument of the tool needs the permission for dangerous actions."""
    return argument["name"] not in HARMLESS.get(tool, ())
