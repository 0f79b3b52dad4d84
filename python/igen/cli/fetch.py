"""`igen fetch`: get a prebuilt library that iGen neither contains nor compiles."""

from __future__ import annotations

import click

from igen.cli import parameters as p


@click.command()
@click.argument("name", metavar="NAME")
@p.quiet_option
def fetch(name: str, quiet: bool) -> None:
    """Get a prebuilt library, such as duckdb.

    It is downloaded from the npm registry (24 MB), compared with the hash that iGen knows, and put where
    the agent looks for it: below ~/.cache/igen. If it is there already nothing happens.

    \b
    Examples:
      igen fetch duckdb
    """
    from igen.fetch.package import fetch as fetch_package
    from igen.fetch.package import package_of

    package = package_of(name)
    path = fetch_package(package)
    if not quiet:
        click.echo(f"{package.name} {package.version}: {path}")
