"""The plan of a study in lines: levels, jobs and time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from igen.fleet.agent import Agent
from igen.study.levels import PlannedLevel
from igen.study.planned import planned_levels
from igen.study.study import Study
from igen.units import counted, format_time_ms
from igen.workbench.private_instance import with_planned_target


def preview(study: Study, levels: list[PlannedLevel]) -> list[str]:
    """Title and workload, a line for each level that is known beforehand, then how often and how long.

    `levels` are those of `igen.study.planned`.
    """
    return [*_heads(study, levels), *_levels(study, levels), *study.plan.amount(levels)]


def _heads(study: Study, levels: list[PlannedLevel]) -> Iterator[str]:
    """Yield title, workload and systems."""
    title = f"{study.title or study.name}: {levels[0].job['workload']}"
    if not study.systems:
        yield f"{title} on {_targets(levels[-1].job)}"
        return
    yield f"{title} on {counted(len(study.systems), 'system')}"
    for system in study.systems:
        job = next(level.job for level in levels if level.system == system.name)
        against = f", compared with {system.against}" if system.against else ""
        yield f"  {system.name}: {_targets(job)}{against}"


def _targets(job: dict[str, Any]) -> str:
    return ", ".join(job["targets"]) or "this host"


def _levels(study: Study, levels: list[PlannedLevel]) -> Iterator[str]:
    """Yield each level that is known before the run; only the first level of a search."""
    for level in levels[:1] if study.plan.finds_levels else levels:
        warmup, measure = (
            format_time_ms(1e3 * level.job["phases"][name]) for name in ("warmup_s", "measure_s")
        )
        yield f"  level {level.number + 1}: {level.label}; warm-up {warmup}, measurement {measure}"


def planned_lines(study: Study) -> list[str]:
    """Plan a study and return the lines. Raises `InputError` with the place of the fault."""
    placed = with_planned_target(study)
    return preview(placed, planned_levels(placed, Agent()))
