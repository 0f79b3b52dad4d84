"""`igen data`: the data that a workload needs in its targets."""

from __future__ import annotations

import click

from igen.cli.data.cleanup import cleanup
from igen.cli.data.export import export
from igen.cli.data.prepare import prepare
from igen.cli.data.verify import verify


@click.group()
def data() -> None:
    """Create, check, export or remove the data of a workload.

    `igen run` creates missing data by itself. Use these commands to create large data beforehand, or to check
    and remove it afterwards.
    """


for command in (prepare, verify, export, cleanup):
    data.add_command(command)
