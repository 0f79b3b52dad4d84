"""`igen tag`: put tags on a run and take them off."""

from __future__ import annotations

import click

from igen.cli import parameters as p
from igen.errors import InputError


@click.command(context_settings={"ignore_unknown_options": True})
@p.run_argument
@click.argument("tags", metavar="+TAG|-TAG...", nargs=-1, type=click.UNPROCESSED)
@p.store_option
def tag(reference: str, tags: tuple[str, ...], store: str | None) -> None:
    """Put tags on a run and take them off.

    RUN is what `igen show` takes. Without tags those that it has are printed. `igen list runs --search
    tag:NAME` finds them again. Runs with the tag `hidden` are only listed there by that search.

    \b
    Examples:
      igen tag last +before-upgrade
      igen tag last +accepted -draft
    """
    from igen.store.notes import change_tags, read_notes
    from igen.store.store import Store

    wrong = next((each for each in tags if each[:1] not in ("+", "-")), None)
    if wrong is not None:
        raise InputError(f"`{wrong}` begins with neither + nor -", where="TAG", hint=f"such as +{wrong}")
    run = Store(store).find_own(reference)
    change_tags(
        run, [each[1:] for each in tags if each[0] == "+"], [each[1:] for each in tags if each[0] == "-"]
    )
    click.echo(f"{run.id}: {' '.join(read_notes(run).tags) or 'no tags'}")
