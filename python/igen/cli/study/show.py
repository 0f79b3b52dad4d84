"""`igen study show`: the text of a study, to read or to start a new study from."""

from __future__ import annotations

from pathlib import Path

import click

from igen.cli import parameters as p
from igen.errors import InputError
from igen.nearest import suggestion


def _names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    from igen.study.shipped import known_studies

    return [name for name in known_studies() if name.startswith(incomplete)]


@click.command()
@click.argument("name", shell_complete=_names)
@p.json_option
def show(name: str, as_json: bool) -> None:
    """Print a study, with the comments that explain it.

    NAME is a file, a study in ./studies, or a study that comes with iGen: `igen list studies` prints them.
    --json also prints its needs and its time.

    \b
    Examples:
      igen study show cpu
      igen study show oltp-sqlite > shop.toml
      igen study show postgresql-scaling --json
    """
    from igen.cli.output import print_json, say_next
    from igen.study.needs import described
    from igen.study.shipped import known_studies, study_text

    known = known_studies()
    path = known.get(name, Path(name))
    try:
        text = study_text(path)
    except (OSError, ValueError) as error:
        raise InputError(f"there is no study `{name}`", where="NAME", hint=suggestion(name, known)) from error
    if as_json:
        print_json({**described(path), "text": text})
        return
    click.echo(text, nl=False)
    say_next(f"igen study check {path}")
