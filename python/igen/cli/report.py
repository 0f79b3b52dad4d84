"""`igen report`: write the report of one run or of several."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from igen.cli import parameters as p

if TYPE_CHECKING:
    from igen.report.write import Format


@click.command()
@p.runs_argument
@click.option(
    "-o", "--output", required=True, type=click.Path(dir_okay=False, path_type=Path), help="File to write."
)
@click.option(
    "--format",
    "format",
    type=click.Choice(p.REPORT_FORMATS),
    help="Format.  [default: as the file's suffix says]",
)
@click.option("--title", default="", help="Title.  [default: the study's]")
@p.store_option
def report(
    references: tuple[str, ...], output: Path, format: Format | None, title: str, store: str | None
) -> None:
    """Write the report of each RUN (the last one if none is given) into one file; several are compared.

    \b
    Examples:
      igen report last -o report.html
      igen report before after -o comparison.md
      igen report last -o levels.csv
    """
    from igen.cli.output import write_report_file
    from igen.store.store import Store
    from igen.study.results import read_result

    runs = [Store(store).find(reference) for reference in references or ("last",)]
    write_report_file(read_result(runs, title), output, format)
    click.echo(f"Report: {output}")
