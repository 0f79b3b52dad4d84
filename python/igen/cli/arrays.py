"""`igen instances array`: RAID arrays to load, made, listed and removed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from igen.cli import parameters as p
from igen.cli.output import aligned, print_json, say_unless
from igen.errors import InputError

if TYPE_CHECKING:
    from igen.lab.control import ArrayStatus

_directory_option = click.option(
    "--directory",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Folder of the arrays.  [default: $IGEN_ARRAYS, or /var/tmp/igen-arrays]",
)
_COLUMNS = ["name", "state", "target", "devices", "data", "cap, I/Os per s", "direct I/O", "disk"]


def _kinds(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    from igen.lab.kinds import KINDS

    return [name for name in KINDS if name.startswith(incomplete)]


def _size(context: click.Context, parameter: click.Parameter, text: str) -> int:
    from igen.units import parse_bytes

    try:
        return parse_bytes(text)
    except InputError as error:
        error.where = "--size"
        raise


@click.group()
def array() -> None:
    """Make and remove RAID arrays.

    An array is btrfs on loop devices over sparse files, for machines without a RAID array. The I/Os that
    a RAID level needs are real, and a limit on the I/Os of each device makes them visible. Requires root.
    """


@array.command()
@click.argument("kind", metavar="KIND", shell_complete=_kinds)
@click.option(
    "--devices",
    metavar="N",
    type=click.IntRange(2, 64),
    default=4,
    show_default=True,
    help="Number of devices.",
)
@click.option(
    "--size", "device_bytes", metavar="SIZE", default="1GiB", show_default=True, callback=_size,
    help="Size of each device.",
)  # fmt: skip
@click.option(
    "--iops", metavar="N", type=click.IntRange(min=0), default=500, show_default=True,
    help="Limit of reads, and of writes, per second of each device; 0: no limit.",
)  # fmt: skip
@_directory_option
@p.force_option
@p.json_option
@p.quiet_option
def up(
    kind: str,
    devices: int,
    device_bytes: int,
    iops: int,
    directory: Path | None,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Make the array of a KIND, or mount it again.

    KIND is raid1, raid10 or raid5. iGen prints and checks the disk space before it makes the array. An
    existing array keeps its devices and data, also after a restart of the machine; --iops can change each
    time.

    \b
    Examples:
      igen instances array up raid10
      igen instances array up raid5 --devices 6 --size 16GiB --iops 200
      igen instances array up raid5 --iops 0
    """
    from igen.lab import control

    made = control.up(
        kind,
        directory,
        devices=devices,
        device_bytes=device_bytes,
        iops=iops,
        force=force,
        say=say_unless(quiet),
    )
    _show([control.status(made)], as_json=as_json)


@array.command("list")
@_directory_option
@p.json_option
def list_command(directory: Path | None, as_json: bool) -> None:
    """List arrays with their state.

    \b
    Examples:
      igen instances array list
      igen instances array list --json
    """
    from igen.lab import control

    _show([control.status(array) for array in control.selected(directory, None)], as_json=as_json)


@array.command()
@click.argument("name", metavar="[NAME]", required=False, shell_complete=_kinds)
@click.option("--all", "every", is_flag=True, help="All arrays.")
@_directory_option
@click.option("--remove/--keep-data", help="Remove the arrays with their data.  [default: keep]")
@p.quiet_option
def down(name: str | None, every: bool, directory: Path | None, remove: bool, quiet: bool) -> None:
    """Unmount an array, or remove it.

    Data are kept, except with --remove. Loop devices and their limits are always removed.

    \b
    Examples:
      igen instances array down raid5
      igen instances array down --all --remove
    """
    from igen.lab import control

    if every == (name is not None):
        raise InputError("name an array, or use --all", hint="`igen instances array list` shows them")
    control.down(directory, name, remove_data=remove, say=say_unless(quiet))


def _show(statuses: list[ArrayStatus], *, as_json: bool) -> None:
    from dataclasses import asdict

    from igen.units import format_bytes

    if as_json:
        print_json([asdict(status) for status in statuses])
        return
    if not statuses:
        click.echo("no arrays", err=not sys.stdout.isatty())
        return
    rows = [
        [
            one.name,
            one.state,
            one.target,
            f"{one.devices} × {format_bytes(one.device_bytes)}",
            format_bytes(one.data_bytes),
            str(one.iops or "none"),
            "yes" if one.direct_io else "no",
            format_bytes(one.disk_bytes),
        ]
        for one in statuses
    ]
    for line in aligned([_COLUMNS, *rows]):
        click.echo(line)
