"""`igen study`: studies that are written down in files."""

from __future__ import annotations

import click

from igen.cli.study.check import check
from igen.cli.study.import_har import import_har
from igen.cli.study.init import init
from igen.cli.study.run import run
from igen.cli.study.show import show


@click.group()
def study() -> None:
    """Write, check, run and show studies (TOML files)."""


for command in (init, check, run, show, import_har):
    study.add_command(command)
