"""What a study would do, in lines: levels, jobs and time, before anything is done."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from igen.fleet.agent import Agent
from igen.study.levels import PlannedLevel
from igen.study.order import MOST_UNTIL_DECIDED
from igen.study.plan import (
    FillPlan,
    PeakPlan,
    Repeats,
    ScalingPlan,
    SweepPlan,
    TogetherPlan,
    TorturePlan,
    finds_levels,
)
from igen.study.planned import planned_levels
from igen.study.scaling import instance_counts
from igen.study.study import Study
from igen.units import counted, duration_text, format_time_ms
from igen.workbench.private_instance import with_planned_target


def preview(study: Study, levels: list[PlannedLevel]) -> list[str]:
    """Title and workload, a line for each level that is known beforehand, then how often and how long.

    `levels` are those of `igen.study.planned`.
    """
    return [*_heads(study, levels), *_levels(study, levels), *_amount(study, levels)]


def _heads(study: Study, levels: list[PlannedLevel]) -> Iterator[str]:
    """Title, workload and where it runs."""
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
    """Each level that is known beforehand; of a search the first."""
    for level in levels[:1] if finds_levels(study.plan) else levels:
        warmup, measure = (
            format_time_ms(1e3 * level.job["phases"][name]) for name in ("warmup_s", "measure_s")
        )
        yield f"  level {level.number + 1}: {level.label}; warm-up {warmup}, measurement {measure}"


def _amount(study: Study, levels: list[PlannedLevel]) -> Iterator[str]:
    """How often, and how long it takes."""
    search = "  and as many levels as the search for the peak asks for, usually 8 to 15"
    match study.plan:
        case SweepPlan(repeats=int(repeats)) | TogetherPlan(repeats=int(repeats)):
            jobs = len(levels) * repeats
            total_s = repeats * sum(level.duration_s for level in levels)
            duration = f"about {duration_text(total_s)} and what it takes to prepare"
            yield f"  {_repeats(repeats)}, {jobs} job{'s' if jobs > 1 else ''}, {duration}"
        case SweepPlan(repeats=repeats) | TogetherPlan(repeats=repeats):
            yield f"  {_repeats(repeats)}"
        case FillPlan(repeats=repeats):
            yield "  and the load at which the fullest resource would be full, by its use at these levels"
            one_s = sum(level.duration_s for level in levels) / len(levels)
            if isinstance(repeats, int):
                total_s = repeats * (len(levels) + 1) * one_s
                yield f"  {_repeats(repeats)}, about {duration_text(total_s)} and what it takes to prepare"
            else:
                yield f"  {_repeats(repeats)}"
        case PeakPlan():
            yield search
        case ScalingPlan(share=share, repeats=repeats):
            counts = ", ".join(map(str, instance_counts(len(levels[-1].job["targets"]))))
            yield search
            share_text = f"{100 * share:g} % of the peak of one"
            yield f"  then {counts} instances, each at {share_text}; {_repeats(repeats)}"
        case TorturePlan(under_load_s=under_load_s):
            yield f"  in segments, each verified, {duration_text(under_load_s)} under load in all"


def _repeats(repeats: Repeats) -> str:
    match repeats:
        case "auto":
            return "as many repeats as make each level precise enough, 3 to 10"
        case "decided":
            return f"as many repeats as decide whether the systems differ, {MOST_UNTIL_DECIDED} at most"
    return f"{repeats} repeat{'' if repeats == 1 else 's'}"


def planned_lines(study: Study) -> list[str]:
    """The same of a study that has yet to be planned. Raises `InputError` with the place of the fault."""
    placed = with_planned_target(study)
    return preview(placed, planned_levels(placed, Agent()))
