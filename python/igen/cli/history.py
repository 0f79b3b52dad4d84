"""`igen history`: a workload over time."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from igen.cli import parameters as p

LAST = 100


@click.command()
@p.workload_argument
@click.option(
    "--last", metavar="N", type=click.IntRange(min=1), default=LAST, show_default=True, help="Latest runs."
)
@click.option("--host", metavar="NAME", help="Machine that they were measured on.  [default: this one]")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=p.page_file,
    help="Page with charts to write: .html or .md.",
)
@p.store_option
@p.json_option
@p.quiet_option
def history(
    workload: str,
    last: int,
    host: str | None,
    output: Path | None,
    store: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Show a workload over time, and its changes.

    Runs of the same settings on one machine are a series at each load. A change is only suspected: whether
    the system changed or the machine did is shown by a fresh run of both side by side, with `igen ab`. Where
    there is one, with systems that differ in the same facts, its answer stands beside the change.

    \b
    Examples:
      igen history oltp
      igen history oltp --last 20 -o history.html
      igen history cpu --json
    """
    from igen.cli.output import print_json
    from igen.store.store import Store
    from igen.study.history import read_history, rows_of

    place = Store(store)
    rows = rows_of(place, workload, last)
    with click.progressbar(length=len(rows), label="judging", file=sys.stderr, hidden=quiet) as shown:
        found = read_history(place, workload, rows, host=host, told=lambda: shown.update(1))
    if as_json:
        from dataclasses import asdict

        print_json(asdict(found))
    else:
        from igen.report.history import history_document
        from igen.report.printers.terminal import Terminal, print_text

        click.echo(print_text(history_document(found), Terminal.detect()))
    if output is not None:
        from igen.report.history import history_document
        from igen.report.write import write_document

        write_document(history_document(found), output)
        click.echo(f"Report: {output}", err=as_json)
