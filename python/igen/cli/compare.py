"""`igen compare`: runs side by side."""

from __future__ import annotations

from pathlib import Path

import click

from igen.cli import parameters as p
from igen.errors import InputError


@click.command()
@p.runs_argument
@p.margin_option
@p.fail_if_slower_option
@p.output_option(required=False)
@p.title_option
@p.all_option
@p.slamd_option
@p.junit_option
@p.format_option
@p.store_option
@p.json_option
def compare(
    references: tuple[str, ...],
    margin: float | None,
    fail_if_slower: float | None,
    output: Path | None,
    title: str,
    whole: bool,
    slamd: bool,
    junit: Path | None,
    text_format: str,
    store: str | None,
    as_json: bool,
) -> None:
    """Compare recorded runs.

    Each RUN is compared with the first one at each common level. The answer is faster, slower, equivalent
    within the margin, or cannot tell, with the smallest difference that these runs can show. `igen ab`
    measures two systems side by side, and shows smaller differences.

    --fail-if-slower is a non-inferiority test (one-sided, 95 %) of the figure that decides at each load. A
    load without a clear answer does not pass: the exit code is 1, and the error names it.

    \b
    Examples:
      igen compare before after
      igen compare postgres mariadb sqlite -o comparison.html
      igen compare before after --margin 1% --json
      igen compare main branch --fail-if-slower 5% --junit slower.xml --format markdown
    """
    from igen.cli.output import print_result, say_next, write_junit_file, write_report_file
    from igen.report.measure_again import side_by_sides
    from igen.store.store import Store
    from igen.study.results import read_result
    from igen.workbench.comparable import check_comparable

    if len(references) < 2:
        raise InputError("name at least two runs", where="RUN", hint="`igen list runs` lists them")
    if junit is not None and fail_if_slower is None:
        hint = "such as --fail-if-slower 5%"
        raise InputError("needs --fail-if-slower", where="--junit", hint=hint)
    runs = [Store(store).find(reference) for reference in references]
    check_comparable(runs, references)
    result = read_result(runs, title, margin=margin, slower_margin=fail_if_slower)
    print_result(result, text_format, as_json=as_json, whole=whole, statistics=slamd)
    if output is not None:
        write_report_file(result, output, runs, statistics=slamd)
        click.echo(f"Report: {output}", err=as_json or text_format == "markdown")
    if fail_if_slower is None:
        report = [] if output else [f"igen compare {' '.join(references)} -o comparison.html"]
        say_next(*side_by_sides(result), *report, quiet=as_json or text_format == "markdown")
        return
    from igen.cli.exit_code import check_not_slower
    from igen.report.checks import not_slower_checks

    if junit is not None:
        write_junit_file([*not_slower_checks(result)], f"igen compare {' '.join(references)}", junit)
    check_not_slower(result)
