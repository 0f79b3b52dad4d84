"""`igen data export`: print the data of a workload for the server's own loader."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from igen.cli import parameters as p
from igen.cli.workload_help import WorkloadCommand


@click.command(cls=WorkloadCommand)
@p.workload_argument
@p.target_option
@p.set_option
@click.option(
    "--target-index",
    metavar="N",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Index of the target, from 0.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to write.  [default: standard output]",
)
def export(
    workload: str,
    targets: tuple[str, ...],
    params: dict[str, Any],
    target_index: int,
    output: Path | None,
) -> None:
    """Write the data of a workload to a file.

    The server's own loader reads the format, such as LDIF. iGen does not connect to the target.

    \b
    Examples:
      igen data export ldap-search --target ldap://dir.lab/dc=lab | slapadd -q -l /dev/stdin
      igen data export ldap-search --target ldap://dir.lab/dc=lab -o people.ldif
    """
    from igen.cli.step import checked_step
    from igen.fleet.agent import Agent

    job = checked_step("prepare", workload=workload, targets=targets, params=params, force=False)
    if output is None:
        sys.stdout.buffer.writelines(Agent().export(job, target_index))
        return
    part = output.with_name(f"{output.name}.part")
    try:
        with part.open("wb") as file:
            file.writelines(Agent().export(job, target_index))
        part.replace(output)
    finally:
        part.unlink(missing_ok=True)
