"""`igen fetch`: get what iGen neither contains nor compiles: a prebuilt library, an application to load."""

from __future__ import annotations

import click

from igen.cli import parameters as p


@click.command()
@click.argument("name", metavar="NAME")
@p.quiet_option
def fetch(name: str, quiet: bool) -> None:
    """Get a library, or a program to load.

    duckdb is downloaded from the npm registry (24 MB), and put where the agent looks for it: below
    ~/.cache/igen. tryton (46 MB) and superset (790 MB) are installed from PyPI, each in an environment of its
    own, for `igen instances up`. Each archive is compared with the hash that iGen knows. What is there
    already stays.

    \b
    Examples:
      igen fetch duckdb
      igen fetch tryton
      igen fetch superset
    """
    from igen.fetch.package import fetch as fetch_package
    from igen.fetch.package import package_of
    from igen.instances.application import APPLICATIONS, install

    if name in APPLICATIONS:
        folder = install(APPLICATIONS[name])
        if not quiet:
            click.echo(f"{name}: {folder}")
        return
    package = package_of(name)
    path = fetch_package(package)
    if not quiet:
        click.echo(f"{package.name} {package.version}: {path}")
