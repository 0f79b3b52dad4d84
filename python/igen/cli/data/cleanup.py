"""`igen data cleanup`: remove the data of a workload."""

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
def cleanup(**flags: Any) -> None:
    """Remove the data of a workload.

    Only data that `igen data prepare` or a run created are removed.

    \b
    Examples:
      igen data cleanup oltp --target sqlite:///shop.db
    """
    from igen.cli.step import run_step

    run_step("cleanup", **flags)
