"""`igen show`: the result of a recorded run."""

from __future__ import annotations

import click

from igen.cli import parameters as p


@click.command()
@p.run_argument
@click.option("--slamd", is_flag=True, help="Also print the statistics in SLAMD's columns.")
@p.format_option
@p.store_option
@p.json_option
def show(reference: str, slamd: bool, text_format: str, store: str | None, as_json: bool) -> None:
    """Show the result of a recorded run.

    RUN is its id or a unique begin of it, `last`, its system's name (the latest of that name), or its folder.

    \b
    Examples:
      igen show last
      igen show 20260921-1404 --json
    """
    from igen.cli.output import print_result, say_next
    from igen.store.store import Store
    from igen.study.results import read_result
    from igen.workbench.remarks import remarks

    run = Store(store).find(reference)
    said = remarks([run])
    print_result(read_result([run]), text_format, as_json=as_json, statistics=slamd, remarks=said)
    say_next(f"igen report {reference} -o report.html", quiet=as_json or text_format == "markdown")
