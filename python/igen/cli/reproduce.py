"""`igen reproduce`: measure here what a bundle has measured elsewhere."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from igen.cli import parameters as p
from igen.errors import IgenError, InputError

if TYPE_CHECKING:
    from igen.store.run import Run
    from igen.study.study import Study


@click.command()
@p.bundle_argument
@p.target_option
@p.set_option
@p.force_option
@p.own_data_option
@click.option("--yes", is_flag=True, help="Run without asking.")
@p.store_option
@p.report_option
@p.json_option
@p.quiet_option
def reproduce(
    bundle: Path,
    targets: tuple[str, ...],
    params: dict[str, Any],
    force: bool,
    i_own_this_data: bool,
    yes: bool,
    store: str | None,
    report: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Measure again what a bundle holds.

    Its study is run again, with the same random numbers, and each level compared with the published one:
    the ratio with its interval, and in what machines, versions and settings differ. A study of others may
    run programs and load servers: what it does is shown first, on a terminal it is asked, and elsewhere
    --yes must be said. Permissions that the study was given elsewhere do not hold here.

    \b
    Examples:
      igen reproduce shop.igen
      igen reproduce shop.igen --target postgresql://igen@db.lab/shop --yes
    """
    from igen.bundle.foreign import runs_of
    from igen.bundle.reproduce import beside, study_again
    from igen.bundle.unpack import unpack
    from igen.cli.exit_code import check_load
    from igen.cli.output import print_result, write_report_file

    with TemporaryDirectory(prefix="igen-bundle-") as folder:
        found = unpack(bundle, Path(folder))
        with runs_of(bundle):
            studies = [study_again(run, targets=targets, params=params) for run in found.runs]
        studies = [_permitted(study, force=force, own_data=i_own_this_data) for study in studies]
        _ask(studies, yes=yes)
        runs = [_measured(study, store, quiet=quiet) for study in studies]
        with runs_of(bundle):
            result = beside(found.runs, runs)
        print_result(result, as_json=as_json)
        if report is None and not (as_json or quiet):
            report = runs[-1].folder / "reproduced.html"
        if report is not None:
            write_report_file(result, report, runs)
            click.echo(f"Report: {report}", err=as_json)
    ours = [system for system in result.systems if system.run in {run.id for run in runs}]
    check_load(replace(result, systems=ours), runs[-1].id, strict=False)


def _permitted(study: Study, *, force: bool, own_data: bool) -> Study:
    """With what the user permits here."""
    import msgspec

    given = {"force": force, "i_own_this_data": own_data}
    return msgspec.structs.replace(study, job=study.job | {name: True for name, on in given.items() if on})


def _ask(studies: list[Study], *, yes: bool) -> None:
    """Shows what is about to run. Raises `InputError` where nobody can be asked."""
    from igen.bundle.permissions import what_it_does

    for study in studies:
        for line in what_it_does(study):
            click.echo(line, err=True)
    if yes:
        return
    if not sys.stdin.isatty():
        hint = "there is no terminal to ask on: read what it does, and say --yes"
        raise InputError("the study of this bundle would be run", where="BUNDLE", hint=hint)
    click.confirm("Run this here?", abort=True, err=True)


def _measured(study: Study, store: str | None, *, quiet: bool) -> Run:
    """The run of this study. Raises what a run raises."""
    from igen.cli.conduct import observer_of
    from igen.cli.flags import in_terms_of_flags
    from igen.cli.output import say_unless
    from igen.store.store import Store
    from igen.workbench.failure import interrupted
    from igen.workbench.measure import carry_out
    from igen.workbench.private_instance import in_terms_of_instance

    try:
        outcome = carry_out(study, Store(store), observer=observer_of(quiet), say=say_unless(quiet))
    except IgenError as error:
        if error.where.startswith("targets"):
            error.hint = f"{error.hint}; --target names a server of yours"
        raise in_terms_of_flags(error) from error
    if outcome.interrupted:
        raise interrupted(outcome, study, measured=outcome.measured)
    if outcome.error is not None:
        raise in_terms_of_instance(outcome.error, study)
    return outcome.run
