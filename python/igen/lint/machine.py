"""Checks of the machine: is its speed constant, and did load and server share it?"""

from __future__ import annotations

from igen.facts import CPU_GOVERNOR, CPU_SMT, CPU_TURBO
from igen.judge.record.target import Place
from igen.judge.result import System
from igen.judge.trust.finding import finding, parts_of
from igen.lint.finding import Found
from igen.lint.subject import fact, place_of

FASTEST = "performance"
MACHINE_FACTS = (CPU_GOVERNOR, CPU_TURBO, CPU_SMT)
"""Facts that must be the same on both sides of a comparison."""


def governor(system: System) -> Found:
    """Check the frequency governor of the processors."""
    told = fact(system, CPU_GOVERNOR)
    if told is None:
        if system.facts:
            yield finding("governor-unknown")
    elif told != FASTEST:
        yield finding("governor-not-fastest", governor=told)


def turbo(system: System) -> Found:
    """Check if processors are faster while few of them work."""
    told = system.facts.get(CPU_TURBO)
    if told is None:
        if system.facts:
            yield finding("turbo-unknown")
    elif told is True:
        yield finding("turbo-on")


def shared_processors(system: System) -> Found:
    """Check if load and server shared the processors."""
    if place_of(system) is not Place.LOCAL:
        return
    used = [
        level.resources.driver_cpu_percent
        for level in system.levels
        if level.resources.driver_cpu_percent is not None
    ]
    yield finding("processors-shared", *parts_of({"driver_cpu_percent": max(used)} if used else {}))
