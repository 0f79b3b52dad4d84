"""`igen report`: write the report of one run or of several."""

from __future__ import annotations

from pathlib import Path

import click

from igen.cli import parameters as p


@click.command()
@p.runs_argument
@p.output_option(required=True)
@click.option("--title", default="", help="Title.  [default: the study's]")
@click.option("--slamd", is_flag=True, help="With the statistics in SLAMD's columns.")
@p.store_option
def report(references: tuple[str, ...], output: Path, title: str, slamd: bool, store: str | None) -> None:
    """Write the report of one or several runs.

    Without RUN it is the last one; several are compared. The file's suffix chooses the format: .html,
    .md, .csv or .json.

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
    write_report_file(read_result(runs, title), output, runs, statistics=slamd)
    click.echo(f"Report: {output}")
