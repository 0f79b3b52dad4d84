"""`igen check`: what a study file would do, without doing it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from igen.cli import parameters as p
from igen.errors import IgenError
from igen.units import counted

if TYPE_CHECKING:
    from igen.study.levels import PlannedLevel
    from igen.study.plan import Repeats
    from igen.study.study import Study


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@p.scale_option
def check(file: Path, factor: float | None) -> None:
    """Print what a study would do.

    Every level in FILE (TOML) is checked; systems, levels, jobs and time are printed.

    \b
    Examples:
      igen check studies/oltp-sqlite.toml
    """
    from igen.cli.output import say_next
    from igen.cli.study import in_terms_of_file
    from igen.fleet.agent import Agent
    from igen.study.planned import planned_levels
    from igen.study.scale import scaled
    from igen.study.study import load_study
    from igen.workbench.private_instance import with_planned_target

    study = load_study(file)
    if factor is not None:
        study = scaled(study, factor)
    try:
        study = with_planned_target(study)
        levels = planned_levels(study, Agent())
    except IgenError as error:
        raise in_terms_of_file(error, file, str(study.job.get("workload", ""))) from error
    for line in [*_heads(study, levels), *_levels(study, levels), *_amount(study, levels)]:
        click.echo(line)
    say_next(f"igen study run {file}{'' if factor is None else f' --scale {factor:g}'}")


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
    from igen.study.plan import finds_levels
    from igen.units import format_time_ms

    for level in levels[:1] if finds_levels(study.plan) else levels:
        warmup, measure = (
            format_time_ms(1e3 * level.job["phases"][name]) for name in ("warmup_s", "measure_s")
        )
        yield f"  level {level.number + 1}: {level.label}; warm-up {warmup}, measurement {measure}"


def _amount(study: Study, levels: list[PlannedLevel]) -> Iterator[str]:
    """How often, and how long it takes."""
    from igen.cli.numbers import duration_text
    from igen.study.plan import PeakPlan, ScalingPlan, SweepPlan, TogetherPlan, TorturePlan
    from igen.study.scaling import instance_counts

    search = "  and as many levels as the search for the peak asks for, usually 8 to 15"
    match study.plan:
        case SweepPlan(repeats=int(repeats)) | TogetherPlan(repeats=int(repeats)):
            jobs = len(levels) * repeats
            total_s = repeats * sum(level.duration_s for level in levels)
            duration = f"about {duration_text(total_s)} and what it takes to prepare"
            yield f"  {_repeats(repeats)}, {jobs} job{'s' if jobs > 1 else ''}, {duration}"
        case SweepPlan(repeats=repeats) | TogetherPlan(repeats=repeats):
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
    from igen.study.order import MOST_UNTIL_DECIDED

    match repeats:
        case "auto":
            return "as many repeats as make each level precise enough, 3 to 10"
        case "decided":
            return f"as many repeats as decide whether the systems differ, {MOST_UNTIL_DECIDED} at most"
    return f"{repeats} repeat{'' if repeats == 1 else 's'}"
