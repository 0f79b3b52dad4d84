"""`igen tag`: tags and notes of a run."""

from __future__ import annotations

import click

from igen.cli import parameters as p
from igen.errors import InputError


@click.command(context_settings={"ignore_unknown_options": True})
@p.run_argument
@click.argument("tags", metavar="+TAG|-TAG...", nargs=-1, type=click.UNPROCESSED)
@click.option("--note", metavar="TEXT", help="Add a note to the run.")
@click.option("--by", metavar="NAME", default="", envvar="USER", help="Author of the note.  [default: $USER]")
@p.store_option
def tag(reference: str, tags: tuple[str, ...], note: str | None, by: str, store: str | None) -> None:
    """Add or remove tags of a run, and add notes.

    The command prints the tags and notes of the run. `igen list runs --search tag:NAME` finds tagged runs;
    runs with the tag `hidden` are listed by that search only. `igen show` and reports print the notes, which
    cannot be changed later.

    \b
    Examples:
      igen tag last
      igen tag last +accepted -draft
      igen tag last --note "the first run with the new disk"
    """
    from igen.store.notes import add_note, change_tags, read_notes
    from igen.store.store import Store

    wrong = next((each for each in tags if each[:1] not in ("+", "-")), None)
    if wrong is not None:
        raise InputError(
            f"`{wrong}` must start with + or -",
            where="TAG",
            hint=f"+{wrong} adds the tag, -{wrong} removes it",
        )
    run = Store(store).find_own(reference)
    change_tags(
        run, [each[1:] for each in tags if each[0] == "+"], [each[1:] for each in tags if each[0] == "-"]
    )
    if note is not None:
        add_note(run, note, by)
    notes = read_notes(run)
    click.echo(f"{run.id}: {' '.join(notes.tags) or 'no tags'}")
    for each in notes.texts:
        click.echo(each.line())
