"""`igen fetch`: get what iGen neither contains nor compiles: a prebuilt library, an application to load."""

from __future__ import annotations

import click

from igen.cli import parameters as p


@click.command()
@click.argument("name", metavar="NAME")
@p.quiet_option
def fetch(name: str, quiet: bool) -> None:
    """Get a library, or a program to load.

    pip downloads each from the index that it is set to, and compares each archive with the hash that iGen
    knows. duckdb (21 MB) is the library in DuckDB's Python package; it is put where the agent looks for it,
    below ~/.cache/igen. tryton (46 MB) and superset (790 MB) are installed for `igen instances up`, each in a
    separate environment. What is already there is kept.

    \b
    Examples:
      igen fetch duckdb
      igen fetch tryton
      igen fetch superset
    """
    from igen.errors import InputError
    from igen.fetch import duckdb
    from igen.instances.application import APPLICATIONS, install

    if name in APPLICATIONS:
        title, path = name, install(APPLICATIONS[name])
    elif name == "duckdb":
        title, path = f"{name} {duckdb.version()}", duckdb.fetch()
    else:
        raise InputError(
            f"there is no package `{name}`", hint=f"use one of duckdb, {', '.join(APPLICATIONS)}"
        )
    if not quiet:
        click.echo(f"{title}: {path}")
