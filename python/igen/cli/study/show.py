"""`igen study show`: the text of a study, to read or to start a new study from."""

from __future__ import annotations

from pathlib import Path

import click

from igen.errors import InputError
from igen.nearest import suggestion


def _names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    from igen.study.shipped import studies_at_hand

    return [path.stem for path in studies_at_hand() if path.stem.startswith(incomplete)]


@click.command()
@click.argument("name", shell_complete=_names)
def show(name: str) -> None:
    """Print a study, with the comments that explain it.

    NAME is a file, or the name of a study that `igen list studies` prints.

    \b
    Examples:
      igen study show cpu
      igen study show oltp-sqlite > shop.toml
    """
    from igen.cli.output import say_next
    from igen.study.shipped import studies_at_hand, study_text

    known = {path.stem: path for path in studies_at_hand()}
    path = known.get(name, Path(name))
    try:
        click.echo(study_text(path), nl=False)
    except (OSError, ValueError) as error:
        raise InputError(f"there is no study `{name}`", where="NAME", hint=suggestion(name, known)) from error
    say_next(f"igen study check {path}")
