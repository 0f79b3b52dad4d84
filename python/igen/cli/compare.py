"""`igen compare`: runs side by side."""

from __future__ import annotations

from pathlib import Path

import click

from igen.cli import parameters as p
from igen.errors import InputError


@click.command()
@p.runs_argument
@p.margin_option
@p.output_option(required=False)
@p.store_option
@p.json_option
def compare(
    references: tuple[str, ...], margin: float | None, output: Path | None, store: str | None, as_json: bool
) -> None:
    """Lay runs side by side.

    Each RUN is compared with the first one at each common level: faster, slower, equivalent within the
    margin, or cannot tell, and then what could have been seen. `igen ab` measures two systems side by
    side instead.

    \b
    Examples:
      igen compare before after
      igen compare postgres mariadb sqlite -o comparison.html
      igen compare before after --margin 1% --json
    """
    from igen.cli.output import print_result_json, write_report_file
    from igen.store.store import Store
    from igen.study.results import read_result

    if len(references) < 2:
        raise InputError("name at least two runs", where="RUN", hint="`igen list runs` names them")
    runs = [Store(store).find(reference) for reference in references]
    result = read_result(runs, margin=margin)
    if as_json:
        print_result_json(result)
    else:
        from igen.report.text import summary_text

        click.echo(summary_text(result))
    if output is not None:
        write_report_file(result, output, runs)
        click.echo(f"Report: {output}", err=as_json)
