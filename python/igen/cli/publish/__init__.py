"""`igen publish`: results that others can check and reproduce."""

from __future__ import annotations

import click

from igen.cli.publish.bundle import bundle
from igen.cli.publish.lint import lint
from igen.cli.publish.reproduce import reproduce
from igen.cli.publish.verify import verify


@click.group()
def publish() -> None:
    """Publish results that others can check and reproduce."""


for command in (lint, bundle, verify, reproduce):
    publish.add_command(command)
