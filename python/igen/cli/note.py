"""`igen note`: write down what a run meant."""

from __future__ import annotations

import click

from igen.cli import parameters as p


@click.command()
@p.run_argument
@click.argument("text", required=False)
@click.option("--by", metavar="NAME", default="", envvar="USER", help="Who says it.  [default: the user]")
@p.store_option
def note(reference: str, text: str | None, by: str, store: str | None) -> None:
    """Write down what a run meant.

    RUN is what `igen show` takes. Notes are never changed; `igen show` and the report have them all. Without
    TEXT those that there are are printed.

    \b
    Examples:
      igen note last "the first one with the new disk"
      igen note last
    """
    from igen.store.notes import add_note, read_notes
    from igen.store.store import Store

    run = Store(store).find_own(reference)
    if text is not None:
        add_note(run, text, by)
    for each in read_notes(run).texts:
        click.echo(each.line())
