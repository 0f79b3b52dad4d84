"""What several commands do with a result document: print it as JSON, write it as a report."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from igen.judge.result import Result
    from igen.store.run import Run


def say_unless(quiet: bool) -> Callable[[str], None]:
    """Prints lines on standard error that tell what goes on; nothing if quiet."""
    return lambda text: None if quiet else click.echo(text, err=True)


def print_json(value: Any) -> None:
    """One JSON document on standard output."""
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(value)))


def print_result_json(result: Result) -> None:
    """The result document on standard output."""
    from igen.report.write import to_json

    click.echo(to_json(result), nl=False)


def write_report_file(result: Result, path: Path, runs: Iterable[Run]) -> None:
    """Writes the report in the format that the file's suffix says, with links to the files of the runs."""
    from igen.report.formats import format_of
    from igen.report.write import write_report

    write_report(result, path, format_of(path), {run.id: run.folder for run in runs})


def aligned(rows: list[list[str]]) -> list[str]:
    """Rows of cells as lines with columns below each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
