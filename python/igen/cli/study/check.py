"""`igen study check`: what a study file would do, without doing it."""

from __future__ import annotations

from pathlib import Path

import click

from igen.cli import parameters as p
from igen.errors import IgenError


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@p.scale_option
def check(file: Path, factor: float | None) -> None:
    """Check a study, and print its levels and duration.

    Checks every level in FILE (TOML) before anything is measured, and prints systems, levels, jobs and time.

    \b
    Examples:
      igen study check studies/oltp-sqlite.toml
    """
    from igen.cli.output import say_next
    from igen.cli.study.run import in_terms_of_file
    from igen.fleet.agent import Agent
    from igen.study.planned import planned_levels
    from igen.study.scale import scaled
    from igen.study.study import load_study
    from igen.workbench.preview import preview
    from igen.workbench.private_instance import with_planned_target

    study = load_study(file)
    if factor is not None:
        study = scaled(study, factor)
    try:
        study = with_planned_target(study)
        levels = planned_levels(study, Agent())
    except IgenError as error:
        raise in_terms_of_file(error, file, str(study.job.get("workload", ""))) from error
    for line in preview(study, levels):
        click.echo(line)
    say_next(f"igen study run {file}{'' if factor is None else f' --scale {factor:g}'}")
