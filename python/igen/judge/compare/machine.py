"""On which machines two systems were measured."""

from __future__ import annotations

from igen.facts import HOST_NAME
from igen.judge.result import System


def machine_of(system: System) -> str:
    """Its name; empty where the run does not say it."""
    return str(system.facts.get(HOST_NAME) or "")


def machines_of(base: System, system: System) -> list[str]:
    """The names of both, of which there are two only where they are known to differ."""
    names = list(dict.fromkeys(name for each in (base, system) if (name := machine_of(each))))
    return names or [""]
