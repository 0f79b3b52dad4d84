"""`igen export`: what a workload would load, for the server's own loader."""

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
    help="Which of several targets, counted from 0.",
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
    """Write what a workload would load.

    In the format of the server's own loader, such as LDIF; nothing is connected to.

    \b
    Examples:
      igen export ldap-search --target ldap://dir.lab/dc=lab --set entries=1000000 | slapadd -q -l /dev/stdin
      igen export ldap-search --target ldap://dir.lab/dc=lab -o people.ldif
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
