"""`igen data prepare`: create and load the data of a workload."""

from __future__ import annotations

from typing import Any

import click

from igen.cli import parameters as p
from igen.cli.workload_help import WorkloadCommand


@click.command(cls=WorkloadCommand)
@p.workload_argument
@p.target_option
@p.set_option
@p.force_option
@p.own_data_option
@p.quiet_option
def prepare(quiet: bool, **flags: Any) -> None:
    """Create and load the data of a workload.

    Data that exist already are kept.

    \b
    Examples:
      igen data prepare oltp --target sqlite:///shop.db
      igen data prepare oltp --target sqlite:///shop.db --set customers=1000000
    """
    from igen.cli.output import say_next
    from igen.cli.step import checked_step, run_step
    from igen.workbench.amount import shards_sentence

    if not quiet and (sentence := shards_sentence(checked_step("prepare", **flags))):
        click.echo(sentence, err=True)
    run_step("prepare", **flags, quiet=quiet)
    targets = "".join(f" --target '{target}'" for target in flags["targets"])
    say_next(f"igen run {flags['workload']}{targets}", quiet=quiet)
