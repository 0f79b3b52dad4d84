"""`igen study run`: run a study from its file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from igen.cli import parameters as p
from igen.cli.telemetry import Telemetry, telemetry_options
from igen.errors import IgenError, InputError


def _descriptor(context: click.Context, parameter: click.Parameter, number: int | None) -> int | None:
    """A descriptor that the caller has opened: looked at before igen opens others. Raises `InputError`."""
    if number is not None:
        try:
            os.fstat(number)
        except (OSError, OverflowError):
            hint = "open it in the program that starts igen: igen study run FILE --announce 3 3>run"
            raise InputError(f"descriptor {number} is not open", where="--announce", hint=hint) from None
    return number


def _console(context: click.Context, parameter: click.Parameter, text: str | None) -> dict[str, Any]:
    """The facts that a console tells of who has started it. Raises `InputError`."""
    if text is None:
        return {}
    from igen.workbench.asker import facts_of_console

    return facts_of_console(text)


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@p.set_option
@p.scale_option
@p.store_option
@p.report_option
@p.junit_option
@telemetry_options
@p.json_option
@p.quiet_option
@p.strict_option
@click.option(
    "--announce",
    metavar="FD",
    type=click.IntRange(0),
    callback=_descriptor,
    help="For programs: write the id of the run to this open descriptor when the run starts.",
)
@click.option(
    "--console",
    "facts",
    metavar="JSON",
    callback=_console,
    help="For programs: record who started the run in a console.",
)
def run(
    file: Path,
    params: dict[str, Any],
    factor: float | None,
    store: str | None,
    report: Path | None,
    junit: Path | None,
    as_json: bool,
    quiet: bool,
    strict: bool,
    announce: int | None,
    facts: dict[str, Any],
    telemetry: Telemetry,
) -> int:
    """Run a study.

    FILE is TOML; `igen study check FILE` prints its levels and its duration. The exit codes are as for
    `igen run`.

    \b
    Examples:
      igen study run studies/oltp-sqlite.toml
      igen study run studies/cpu.toml --store /data/runs --quiet
      igen study run studies/raid1-vs-raid5.toml --scale 0.02
      igen study run studies/oltp-sqlite.toml --set customers=1000
    """
    from igen.cli.conduct import conduct
    from igen.study.params import with_params
    from igen.study.scale import scaled
    from igen.study.study import load_study

    plan = with_params(load_study(file), params)
    if factor is not None:
        plan = scaled(plan, factor)
    try:
        return conduct(
            plan,
            store=store,
            report=report,
            junit=junit,
            as_json=as_json,
            quiet=quiet,
            strict=strict,
            announce=announce,
            facts=facts,
            telemetry=telemetry,
        )
    except IgenError as error:
        raise in_terms_of_file(error, file, str(plan.job.get("workload", ""))) from error


def in_terms_of_file(error: IgenError, file: Path, workload: str) -> IgenError:
    """The same error, its place named by the study file where it is a place in a job."""
    from igen.cli.suggest import with_suggestion

    error = with_suggestion(error, workload)
    if isinstance(error, InputError):
        line = _line(file, error.where)
        at = str(file) if line is None else f"{file}:{line}"
        error.where = f"{at}: {error.where}" if error.where else at
    return error


def _line(file: Path, where: str) -> int | None:
    """The line of a field of the job, of the axis that varies it, or of what else the study says."""
    from igen.study.shipped import study_text
    from igen.study.toml_place import line_of
    from igen.study.validation import steps_of

    text = study_text(file)
    steps = steps_of(where)
    for path in (["axes", where], ["job", *steps], steps):
        if (line := line_of(text, path)) is not None and (line != line_of(text, path[:1]) or len(path) == 1):
            return line
    return line_of(text, ["job"])
