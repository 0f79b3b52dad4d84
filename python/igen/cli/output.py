"""What several commands do with a result document: print it as JSON, write it as a report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from igen.analysis.result import Result
from igen.cli.parameters import REPORT_FORMATS


def say_unless(quiet: bool) -> Callable[[str], None]:
    """Prints lines on standard error that tell what goes on; nothing if quiet."""
    return lambda text: None if quiet else click.echo(text, err=True)


def print_json(value: Any) -> None:
    """One JSON document on standard output."""
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(value)))


def print_result_json(result: Result) -> None:
    """The result document on standard output."""
    from igen.report.document import to_json

    click.echo(to_json(result), nl=False)


def write_report_file(result: Result, path: Path) -> None:
    """Writes the report in the format that the file's suffix says."""
    from igen.report.write import write_report

    write_report(result, path, REPORT_FORMATS[path.suffix])


def aligned(rows: list[list[str]]) -> list[str]:
    """Rows of cells as lines with columns below each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
