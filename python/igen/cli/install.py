"""`igen install`: a prebuilt library, or an application to load, that iGen does not contain."""

from __future__ import annotations

import click

from igen.cli import parameters as p


@click.command()
@click.argument("name", metavar="NAME")
@p.quiet_option
def install(name: str, quiet: bool) -> None:
    """Install a library or an application to load.

    NAME is duckdb (21 MB), the library of DuckDB's Python package, installed below ~/.cache/igen; tryton
    (46 MB) or superset (790 MB), applications for `igen instances up`, each in a separate environment.
    pip downloads from its configured index, and iGen checks the hash of each archive. Installed versions
    are kept.

    \b
    Examples:
      igen install duckdb
      igen install tryton
      igen install superset
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
