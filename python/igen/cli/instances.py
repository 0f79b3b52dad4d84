"""`igen instances`: private servers, started, listed and stopped."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from igen.cli import parameters as p
from igen.errors import InputError

_directory_option = click.option(
    "--directory",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Where the instances are.  [default: $IGEN_INSTANCES, or a folder of yours below /var/tmp]",
)
_COLUMNS = ["name", "state", "target", "pid", "memory", "disk"]


@click.group()
def instances() -> None:
    """Start and stop private servers to load.

    They listen on 127.0.0.1 and on a Unix socket only, and ask for no password: any user of this machine can
    reach them. They are fully durable unless a setting says otherwise, and go on until they are stopped.
    """


@instances.command()
@click.argument("kind", metavar="KIND")
@click.option(
    "--count", metavar="N", type=click.IntRange(1, 1000), default=1, show_default=True, help="How many."
)
@_directory_option
@click.option("--memory", metavar="SIZE", default="128MiB", show_default=True, help="Cache of each instance.")
@click.option(
    "--port-from", metavar="N", type=click.IntRange(1, 65000), help="Port of the first; others follow."
)
@click.option(
    "--max-connections", metavar="N", type=click.IntRange(10, 20000), default=200, show_default=True,
    help="Connections that each takes.",
)  # fmt: skip
@click.option("--set", "settings", metavar="NAME=VALUE", multiple=True, help="A setting of the server's.")
@p.force_option
@p.json_option
@p.quiet_option
def up(
    kind: str,
    count: int,
    directory: Path | None,
    memory: str,
    port_from: int | None,
    max_connections: int,
    settings: tuple[str, ...],
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Start instances 1 to N of a KIND: postgresql or mariadb.

    What they will take is told, and checked, before anything is made. Instances that were made before keep
    their data and their settings.

    \b
    Examples:
      igen instances up postgresql
      igen instances up mariadb --count 4 --memory 256MiB --max-connections 500
      igen instances up postgresql --set synchronous_commit=off --directory /ssd/igen
    """
    from igen.fleet.interrupts import Interrupts
    from igen.instances import control
    from igen.units import parse_bytes

    wish = control.Wish(
        port_from=port_from,
        cache_bytes=parse_bytes(memory),
        max_connections=max_connections,
        settings=dict(_setting(text) for text in settings),
    )

    def say(text: str) -> None:
        if not quiet:
            click.echo(text, err=True)

    with Interrupts() as interrupts:
        found = control.up(
            kind, count, directory, wish=wish, force=force, say=say, stopped=lambda: interrupts.count > 0
        )
    _show([control.status(one) for one in found], as_json=as_json)


@instances.command("list")
@_directory_option
@p.json_option
def list_command(directory: Path | None, as_json: bool) -> None:
    """List instances: whether they run, where, and what they take now.

    \b
    Examples:
      igen instances list
      igen instances list --json
    """
    from igen.instances import control

    _show([control.status(one) for one in control.selected(directory, None)], as_json=as_json)


@instances.command()
@click.argument("kind", metavar="[KIND]", required=False)
@click.option(
    "--number", "numbers", metavar="N", type=int, multiple=True, help="Only this one.  [default: all]"
)
@_directory_option
@click.option("--remove", is_flag=True, help="Remove them with their data.")
@p.quiet_option
def down(
    kind: str | None, numbers: tuple[int, ...], directory: Path | None, remove: bool, quiet: bool
) -> None:
    """Stop instances; their data stay unless --remove is given.

    \b
    Examples:
      igen instances down
      igen instances down mariadb --number 2
      igen instances down postgresql --remove
    """
    from igen.instances import control

    for instance in control.selected(directory, kind, numbers):
        (control.remove if remove else control.stop)(instance)
        if not quiet:
            click.echo(f"{instance.name}: {'removed' if remove else 'stopped'}", err=True)


def _setting(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator or not name:
        raise InputError(f"`{text}` is no setting", where="--set", hint="write NAME=VALUE")
    return name, value


def _show(statuses: list[Any], *, as_json: bool) -> None:
    from dataclasses import asdict

    from igen.cli.output import aligned, print_json
    from igen.units import format_bytes

    if as_json:
        print_json([asdict(status) for status in statuses])
        return
    if not statuses:
        click.echo("no instances", err=not sys.stdout.isatty())
        return

    def size(value: int | None) -> str:
        return "–" if value is None else format_bytes(value)

    rows = [
        [one.name, one.state, one.target, str(one.pid or "–"), size(one.memory_bytes), size(one.disk_bytes)]
        for one in statuses
    ]
    for line in aligned([_COLUMNS, *rows]):
        click.echo(line)
