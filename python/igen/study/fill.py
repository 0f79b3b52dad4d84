"""The level that follows from a sweep: at the load that its own utilisation names."""

from __future__ import annotations

from igen.aspects.aspects import ASPECTS
from igen.judge.aspect import filled
from igen.judge.curve.bound import bound_of
from igen.study.levels import PlannedLevel, level, search_range
from igen.study.running import Running


def full_level(running: Running) -> PlannedLevel | None:
    """Return the level at which the fullest resource would be full; None if unknown or reached."""
    ran = [level for system in running.judged() for level in system.levels]
    bound = bound_of(ran, lambda level: filled(level, ASPECTS))
    if bound is None or bound.users <= max(level.users or 0 for level in ran):
        return None
    axis, _, _ = search_range(running.study)
    values = {axis: bound.users}
    return running.tried(lambda: level(running.study, len(running.levels), values, running.agent))
