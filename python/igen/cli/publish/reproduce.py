"""`igen publish reproduce`: repeat the study of a bundle on this machine."""

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


def _place(text: str) -> str:
    """Return the place of a secret. Raises `InputError` if it is not a place."""
    from igen.bundle.permissions import PLACES

    if not text.startswith(PLACES):
        # Not its text: it may be the secret itself.
        hint = "use env:IGEN_NAME or file:PATH"
        raise InputError("this is not the place of a secret", where="--secret", hint=hint)
    return text


def _secrets(context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    """Return the places of secrets by name."""
    given: dict[str, str] = {}
    for text in texts:
        name, equals, place = text.partition("=")
        if not equals:
            hint = "such as --secret token=env:IGEN_TOKEN"
            raise InputError("a secret needs a name and a place", where="--secret", hint=hint)
        if name in given:
            raise InputError(f"`{name}` is given twice", where="--secret", hint="remove one")
        given[name] = _place(place)
    return given


@click.command()
@p.bundle_argument
@p.target_option
@p.set_option
@p.force_option
@p.own_data_option
@click.option(
    "--secret",
    "secrets",
    metavar="NAME=PLACE",
    multiple=True,
    callback=_secrets,
    help="Source of a secret that the study names: token=env:IGEN_TOKEN or token=file:PATH.",
)
@click.option(
    "--i-trust-the-targets",
    "trusted",
    is_flag=True,
    help="Send passwords and keys of this account to the targets of the study, not only of --target.",
)
@click.option("--yes", is_flag=True, help="Run without asking.")
@p.store_option
@p.report_option
@p.json_option
@p.quiet_option
def reproduce(
    path: Path,
    targets: tuple[str, ...],
    params: dict[str, Any],
    force: bool,
    i_own_this_data: bool,
    secrets: dict[str, str],
    trusted: bool,
    yes: bool,
    store: str | None,
    report: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Measure the runs of a bundle again on this machine.

    Runs the study again with the same random numbers, and compares each level with the published one: the
    ratio with its interval, and differences in machine, versions and settings. A study of somebody else
    may run programs and load servers. iGen prints its actions first, marks dangers with `!`, and asks on
    a terminal; elsewhere --yes is required. Permissions that the study had elsewhere are not valid here.
    Secrets are used only if you name them with --secret, passwords only for targets that you name with
    --target.

    \b
    Examples:
      igen publish reproduce shop.igen
      igen publish reproduce shop.igen --target postgresql://igen@db.lab/shop --yes
      igen publish reproduce web.igen --secret token=env:IGEN_TOKEN
    """
    from igen.bundle.foreign import runs_of
    from igen.bundle.permissions import secrets_of, what_it_does, with_secrets
    from igen.bundle.reproduce import beside, study_again
    from igen.bundle.unpack import unpack
    from igen.cli.exit_code import check_load
    from igen.cli.output import print_result, write_report_file

    with TemporaryDirectory(prefix="igen-bundle-") as folder:
        found = unpack(path, Path(folder))
        with runs_of(path):
            studies = [
                study_again(run, targets=targets, params=params, trusted=trusted) for run in found.runs
            ]
            lines = [str(line) for study in studies for line in what_it_does(study)]
            wanted = secrets_of(studies)
        for line in lines:
            click.echo(line, err=True)
        given = _asked_for(wanted, secrets, yes=yes)
        studies = [with_secrets(study, given) for study in studies]
        studies = [_permitted(study, force=force, own_data=i_own_this_data) for study in studies]
        _ask(yes=yes)
        runs = [_measured(study, store, quiet=quiet) for study in studies]
        with runs_of(path):
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
    """Return the study with the user's permissions."""
    import msgspec

    given = {"force": force, "i_own_this_data": own_data}
    return msgspec.structs.replace(study, job=study.job | {name: True for name, on in given.items() if on})


def _asked_for(wanted: dict[str, list[str]], secrets: dict[str, str], *, yes: bool) -> dict[str, str]:
    """Return the user's secrets, with those that are asked for on a terminal.

    Raises `InputError` for a secret that the study does not send.
    """
    from igen.foreign_text import in_one_line

    if other := next((name for name in secrets if name not in wanted), None):
        hint = f"secrets of the study: {', '.join(map(in_one_line, wanted)) or 'none'}"
        raise InputError(f"the study has no secret `{other}`", where="--secret", hint=hint)
    given = dict(secrets)
    for name, places in wanted.items() if sys.stdin.isatty() and not yes else ():
        if name not in given:
            told = f"Your secret for {in_one_line(', '.join(places))}: env:IGEN_NAME or file:PATH"
            given[name] = click.prompt(told, value_proc=_place, err=True)
    return given


def _ask(*, yes: bool) -> None:
    """Ask the user if the study may run. Raises `InputError` without a terminal."""
    if yes:
        return
    if not sys.stdin.isatty():
        hint = "there is no terminal to confirm it: read the study above, then use --yes"
        raise InputError("running the study of a bundle needs a confirmation", where="BUNDLE", hint=hint)
    click.confirm("Run this study on this machine?", abort=True, err=True)


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
            error.hint = f"{error.hint}; your passwords are sent only to targets given by --target"
        raise in_terms_of_flags(error) from error
    if outcome.interrupted:
        raise interrupted(outcome, study, measured=outcome.measured)
    if outcome.error is not None:
        raise in_terms_of_instance(outcome.error, study)
    return outcome.run
