"""`igen noise`: the noise of a machine, and the smallest difference that it can show."""

from __future__ import annotations

import click

from igen.cli.noise.measure import measure
from igen.cli.noise.plan import plan


@click.group()
def noise() -> None:
    """Measure the noise of this machine, or plan repeats."""


for command in (measure, plan):
    noise.add_command(command)
