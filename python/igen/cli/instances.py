"""`igen instances`: private servers, started, listed and stopped."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from igen.cli import parameters as p
from igen.cli.arrays import array
from igen.cli.output import aligned, print_json, say_next, say_unless
from igen.errors import InputError

if TYPE_CHECKING:
    from igen.instances.product import Product
    from igen.instances.status import InstanceStatus

_directory_option = click.option(
    "--directory",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Folder of the instances.  [default: $IGEN_INSTANCES, or your own folder below /var/tmp]",
)
_COLUMNS = ["name", "state", "target", "pid", "port", "memory", "disk"]


def _kinds(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    from igen.instances.products import PRODUCTS

    return [name for name in PRODUCTS if name.startswith(incomplete)]


def _loads(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    from igen.instances.products import PRODUCTS

    names = sorted({name for product in PRODUCTS.values() for name in product.needs.loads})
    return [name for name in names if name.startswith(incomplete)]


def _memory_bytes(context: click.Context, parameter: click.Parameter, text: str | None) -> int | None:
    from igen.units import parse_bytes

    try:
        return None if text is None else parse_bytes(text)
    except InputError as error:
        error.where = "--memory"
        raise


def _settings(context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    values = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise InputError(f"`{text}` is not NAME=VALUE", where="--set", hint="such as --set work_mem=8MB")
        values[name] = value
    return values


def _own(product: Product, options: dict[str, str | int | None]) -> dict[str, str]:
    """Return the settings that options set. Raises `InputError` for an option of another kind."""
    from igen.instances.products import PRODUCTS

    given = {name: str(value) for name, value in options.items() if value is not None}
    for name in given:
        if name not in product.options:
            kinds = ", ".join(other.name for other in PRODUCTS.values() if name in other.options)
            raise InputError(
                f"{product.name} has no such option",
                where=f"--{name}",
                hint=f"kinds with this option: {kinds}",
            )
    return given


@click.group()
def instances() -> None:
    """Start and stop private servers and arrays.

    Instances listen on 127.0.0.1 and on a Unix socket only, and run until they are stopped. Any user of this
    machine can load them: the database user igen has no password, and has rights on its own data only.
    """


instances.add_command(array)


@instances.command()
@click.argument("kind", metavar="KIND", shell_complete=_kinds)
@click.option(
    "--count",
    metavar="N",
    type=click.IntRange(1, 1000),
    default=1,
    show_default=True,
    help="Number of instances.",
)
@_directory_option
@click.option(
    "--memory", "cache_bytes", metavar="SIZE", callback=_memory_bytes,
    help="Cache of each instance; OpenLDAP has no cache.  [default: 128MiB]",
)  # fmt: skip
@click.option(
    "--port-from",
    metavar="N",
    type=click.IntRange(1, 65000),
    help="Port of the first instance; the others follow.  [default: depends on KIND, such as 15432]",
)
@click.option(
    "--max-connections", metavar="N", type=click.IntRange(10, 20000), default=200, show_default=True,
    help="Connections that each instance accepts.",
)  # fmt: skip
@click.option(
    "--durable/--no-durable", default=True, show_default=True,
    help="Make commits wait for the disk.",
)  # fmt: skip
@click.option(
    "--set", "settings", metavar="NAME=VALUE", multiple=True, callback=_settings,
    help="Setting of the server; may be repeated.",
)  # fmt: skip
@click.option(
    "--load", "workload", metavar="WORKLOAD", shell_complete=_loads,
    help="Load the data of this workload, as `igen data prepare` does; each instance is a shard.",
)  # fmt: skip
@click.option(
    "--load-set", "params", metavar="KEY=VALUE", multiple=True, callback=p.settings,
    help="Parameter of the --load workload, such as customers=100000 for each shard; may be repeated.",
)  # fmt: skip
@click.option(
    "--nodes", metavar="N", type=click.IntRange(1, 64), help="Application nodes of a shop.  [default: 1]"
)
@click.option("--tls", is_flag=True, help="Use TLS (shop only).")
@click.option(
    "--cache", type=click.Choice(["on", "off"]),
    help="Cache of a shop or of Superset.  [default: on]",
)  # fmt: skip
@click.option("--work", metavar="TIME", help="Processor time of each page of a shop.  [default: 5ms]")
@p.force_option
@p.json_option
@p.quiet_option
def up(
    kind: str,
    count: int,
    directory: Path | None,
    cache_bytes: int | None,
    port_from: int | None,
    max_connections: int,
    durable: bool,
    settings: dict[str, str],
    workload: str | None,
    params: dict[str, Any],
    nodes: int | None,
    tls: bool,
    cache: str | None,
    work: str | None,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Start instances of a KIND.

    KIND is postgresql, mariadb, openldap, openldap-proxy (in front of all running openldap), shop (a web
    application in three tiers), tryton (a business application) or superset (a BI application); `igen
    install` installs the last two. Instances 1 to N run afterwards. iGen prints and checks the memory and
    disk that they need before it creates them. Existing instances keep their data and settings; a warning
    names settings that differ from this command. --load loads data that are missing; repeat the command
    after an interrupted load.

    \b
    Examples:
      igen instances up postgresql
      igen instances up mariadb --count 4 --memory 256MiB --max-connections 500
      igen instances up postgresql --count 4 --load oltp --load-set customers=20000
      igen instances up postgresql --set synchronous_commit=off --directory /ssd/igen
      igen instances up openldap --count 2 --load ldap-search --load-set entries=100000
      igen instances up shop --nodes 4 --cache off --work 2ms
    """
    from igen.cli.load import checked_load, load
    from igen.fleet.interrupts import Interrupts
    from igen.instances import control
    from igen.instances.instance import default_directory
    from igen.instances.products import product_of
    from igen.workbench.amount import load_bytes
    from igen.workbench.bulk_load import feed

    if params and not workload:
        raise InputError("needs --load", where="--load-set", hint="add --load WORKLOAD")
    say = say_unless(quiet)
    product = product_of(kind)
    settings |= _own(product, {"nodes": nodes, "tls": "on" if tls else None, "work": work, "cache": cache})
    first = port_from or product.first_port
    names = [f"{kind}-{number}" for number in range(1, count + 1)]
    folders = [(directory or default_directory()) / name for name in names]
    planned = [product.target(folder, first + index) for index, folder in enumerate(folders)]
    job = checked_load(product, workload, params, planned, force=force) if workload else None
    wish = control.Wish(
        load_bytes=load_bytes(product, job) if job else 0,
        port_from=port_from,
        cache_bytes=cache_bytes,
        max_connections=max_connections,
        durable=durable,
        settings=settings,
    )

    with Interrupts() as interrupts:
        found = control.up(
            kind,
            count,
            directory,
            wish=wish,
            feed=feed(job, say) if job else None,
            force=force,
            say=say,
            warn=lambda text: click.echo(f"igen: warning: {text}", err=True),
            stopped=lambda: interrupts.count > 0,
        )
    if workload:
        load(workload, params, [control.target(one) for one in found], force=force, quiet=quiet)
    _show([control.status(one) for one in found], as_json=as_json)
    say(product.open_to)
    usual = workload or next(iter([*product.needs.loads, *product.default_for]), "WORKLOAD")
    say_next(f"igen run {usual} --target '{control.target(found[0])}'", quiet=quiet or as_json)


@instances.command("list")
@_directory_option
@p.json_option
def list_command(directory: Path | None, as_json: bool) -> None:
    """List instances, and the memory and disk they use.

    \b
    Examples:
      igen instances list
      igen instances list --json
    """
    from igen.instances import control

    _show([control.status(one) for one in control.selected(directory, None)], as_json=as_json)


@instances.command()
@click.argument("kind", metavar="[KIND]", required=False, shell_complete=_kinds)
@click.option(
    "--number",
    "numbers",
    metavar="N",
    type=int,
    multiple=True,
    help="Stop only this instance.  [default: all]",
)
@_directory_option
@click.option("--remove/--keep-data", help="Remove the instances with their data.  [default: keep]")
@p.quiet_option
def down(
    kind: str | None, numbers: tuple[int, ...], directory: Path | None, remove: bool, quiet: bool
) -> None:
    """Stop instances, or remove them.

    Data are kept, except with --remove.

    \b
    Examples:
      igen instances down
      igen instances down mariadb --number 2
      igen instances down postgresql --remove
    """
    from igen.instances import control

    control.down(directory, kind, numbers, remove_data=remove, say=say_unless(quiet))


def _show(statuses: list[InstanceStatus], *, as_json: bool) -> None:
    from dataclasses import asdict

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
        [
            one.name,
            one.state,
            one.target,
            str(one.pid or "–"),
            str(one.port),
            size(one.memory_bytes),
            size(one.disk_bytes),
        ]
        for one in statuses
    ]
    for line in aligned([_COLUMNS, *rows]):
        click.echo(line)
