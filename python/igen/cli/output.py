"""Output of a result document: as JSON, as text, as a report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from igen.errors import IgenError

if TYPE_CHECKING:
    from igen.judge.result import Result
    from igen.report.checks import Check
    from igen.store.run import Run


def say_unless(quiet: bool) -> Callable[[str], None]:
    """Return a function that prints progress lines on standard error, or nothing if quiet."""
    return lambda text: None if quiet else click.echo(text, err=True)


def say_next(*commands: str, quiet: bool = False) -> None:
    """Print on standard error what is mostly done next: one command a line, to be pasted."""
    if not quiet:
        for command in commands:
            click.echo(f"Next: {command}", err=True)


def print_json(value: Any) -> None:
    """One JSON document on standard output."""
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(value)))


def print_result_json(result: Result) -> None:
    """The result document on standard output."""
    from igen.report.write import to_json

    click.echo(to_json(result), nl=False)


def print_result(
    result: Result,
    text_format: str = "text",
    *,
    as_json: bool = False,
    whole: bool = False,
    statistics: bool = False,
    remarks: Sequence[str] = (),
) -> None:
    """Print the result: as a document, as `text` or as `markdown`.

    Text fits one screen unless it is to be the `whole`. `statistics`: with tables of statistics, which are
    part of the whole; `remarks`: with what people have written down.
    """
    if as_json:
        print_result_json(result)
    elif text_format == "markdown":
        from igen.report.text import summary_markdown

        click.echo(summary_markdown(result, statistics=statistics, remarks=remarks), nl=False)
    elif whole or statistics:
        from igen.report.text import summary_text

        click.echo(summary_text(result, statistics=statistics, remarks=remarks))
    else:
        from igen.report.text import screen_text

        click.echo(screen_text(result, remarks=remarks))


def write_report_file(result: Result, path: Path, runs: Iterable[Run], *, statistics: bool = False) -> None:
    """Write the report in the format of the file's suffix, with notes of the runs and links to their files.

    `statistics`: with tables of statistics.
    """
    from igen.report.formats import format_of
    from igen.report.write import write_report
    from igen.workbench.remarks import remarks

    several = list(runs)
    places = {run.id: run.folder for run in several}
    write_report(result, path, format_of(path), places, remarks(several), statistics=statistics)


def write_junit_file(checks: Sequence[Check], name: str, path: Path) -> None:
    """Write checks as JUnit XML. Raises `IgenError` if the file cannot be written."""
    from igen.report.printers.junit import print_junit

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(print_junit(checks, name), encoding="utf-8")
    except OSError as error:
        hint = "choose another file with --junit"
        raise IgenError(f"cannot write: {error.strerror}", where=str(path), hint=hint) from error


def aligned(rows: list[list[str]]) -> list[str]:
    """Rows of cells as lines with columns below each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
