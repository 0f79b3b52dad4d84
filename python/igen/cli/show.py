"""`igen show`: the result of a recorded run."""

from __future__ import annotations

from pathlib import Path

import click

from igen.cli import parameters as p


@click.command()
@p.run_argument
@p.output_option(required=False)
@p.title_option
@p.all_option
@p.slamd_option
@p.format_option
@p.store_option
@p.json_option
def show(
    reference: str,
    output: Path | None,
    title: str,
    whole: bool,
    slamd: bool,
    text_format: str,
    store: str | None,
    as_json: bool,
) -> None:
    """Show the result of a run, or write its report.

    RUN is the id of a run or the start of one, the name of a system (its latest run), a folder, or `last`.
    The suffix of the report chooses its format: .html, .md, .csv or .json. `igen compare A B -o` writes the
    report of several runs.

    \b
    Examples:
      igen show last
      igen show last --all
      igen show last -o report.html
      igen show 20260921-1404 --json
    """
    from igen.cli.output import print_result, say_next, write_report_file
    from igen.store.store import Store
    from igen.study.results import read_result
    from igen.workbench.remarks import remarks

    run = Store(store).find(reference)
    result = read_result([run], title)
    print_result(result, text_format, as_json=as_json, whole=whole, statistics=slamd, remarks=remarks([run]))
    quiet = as_json or text_format == "markdown"
    if output is None:
        say_next(
            *([] if whole else [f"igen show {reference} --all"]),
            f"igen show {reference} -o report.html",
            quiet=quiet,
        )
        return
    write_report_file(result, output, [run], statistics=slamd)
    click.echo(f"Report: {output}", err=quiet)
