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
    "--last",
    metavar="N",
    type=click.IntRange(min=1),
    default=LAST,
    show_default=True,
    help="Number of runs to show, the latest ones.",
)
@click.option("--host", metavar="NAME", help="Only runs of this machine.  [default: this machine]")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=p.page_file,
    help="Write a page with charts: .html or .md.",
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
    """Show the runs of a workload over time.

    Runs of the same settings on one machine form a series at each load. A change is a suspicion: the
    system or the machine may have changed. `igen ab` decides by a new run of both systems. If the store
    has an `igen ab` of systems that differ in the same facts, its answer is printed next to the change.

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
