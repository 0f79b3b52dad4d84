"""`igen datacenter`: machines, racks, kilowatts and money for a demand."""

from __future__ import annotations

import click

from igen.cli.datacenter.plans import compare, from_run, plan
from igen.cli.datacenter.published import published


@click.group()
def datacenter() -> None:
    """Plan machines, racks, power and costs for a demand."""


for command in (from_run, plan, compare, published):
    datacenter.add_command(command)
