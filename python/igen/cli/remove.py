"""`igen remove`: delete recorded runs."""

from __future__ import annotations

import sys

import click

from igen.cli import parameters as p
from igen.errors import InputError


@click.command()
@p.runs_argument
@click.option("--yes", is_flag=True, help="Remove without asking.")
@p.store_option
def remove(references: tuple[str, ...], yes: bool, store: str | None) -> None:
    """Delete recorded runs.

    RUN is named as in `igen show`. The folder of the run is deleted with its report. On a terminal iGen asks
    first; elsewhere --yes is required. An active run is not removed.

    \b
    Examples:
      igen remove last --yes
      igen remove 20260921-1404 20260921-1510
    """
    from igen.store.store import Store
    from igen.units import counted, format_bytes

    if not references:
        raise InputError("name at least one run", where="RUN", hint="`igen list runs` lists them")
    place = Store(store)
    runs = list({run.folder: run for run in map(place.find_own, references)}.values())
    sizes = {run.folder: run.size_bytes() for run in runs}
    for run in runs:
        click.echo(f"{run.id}  {format_bytes(sizes[run.folder])}", err=True)
    if not yes:
        if not sys.stdin.isatty():
            hint = "there is no terminal to confirm it: use --yes"
            raise InputError(
                f"removing {counted(len(runs), 'run')} needs a confirmation", where="RUN", hint=hint
            )
        click.confirm(f"Remove {counted(len(runs), 'run')}?", abort=True, err=True)
    for run in runs:
        place.remove(run)
    click.echo(f"Removed {counted(len(runs), 'run')}, {format_bytes(sum(sizes.values()))}.")
