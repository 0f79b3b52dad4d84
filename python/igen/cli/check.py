"""`igen check`: what a study file would do, without doing it."""

from __future__ import annotations

from pathlib import Path

import click

from igen.errors import IgenError


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
def check(file: Path) -> None:
    """Print what a study would do.

    Every level in FILE (TOML) is checked; levels, jobs and time are printed.

    \b
    Examples:
      igen check studies/oltp-sqlite.toml
    """
    from igen.cli.numbers import duration_text
    from igen.cli.study import in_terms_of_file
    from igen.fleet.agent import Agent
    from igen.study.plan import planned_levels
    from igen.study.study import load_study
    from igen.units import format_time_ms

    study = load_study(file)
    try:
        levels = planned_levels(study, Agent())
    except IgenError as error:
        raise in_terms_of_file(error, file, str(study.job.get("workload", ""))) from error
    click.echo(
        f"{study.title or study.name}: {study.job['workload']}"
        f" on {', '.join(levels[0].job['targets']) or 'this host'}"
    )
    for level in levels:
        phases = level.job["phases"]
        click.echo(
            f"  level {level.number + 1}: {level.label}; warm-up {format_time_ms(phases['warmup_s'] * 1e3)},"
            f" measurement {format_time_ms(phases['measure_s'] * 1e3)}"
        )
    if study.search:
        click.echo(f"  and as many levels as the search {study.search.policy} asks for, usually 8 to 15")
        return
    if study.repeats == "auto":
        click.echo("  as many repeats as make each level precise enough, 3 to 10")
        return
    jobs = len(levels) * study.repeats
    total_s = study.repeats * sum(level.duration_s for level in levels)
    click.echo(
        f"  {study.repeats} repeats, {jobs} jobs, about {duration_text(total_s)} and what it takes to prepare"
    )
