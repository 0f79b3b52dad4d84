"""What several commands do with a result document: print it as JSON, write it as a report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from igen.analysis.result import Result
from igen.cli.parameters import REPORT_FORMATS
from igen.errors import IgenError, InputError


def print_json(value: Any) -> None:
    """One JSON document on standard output."""
    click.echo(msgspec.json.format(msgspec.json.encode(value)))


def write_report_file(result: Result, path: Path, format: str | None = None) -> None:
    """Writes the report in the format that the file's suffix says, unless another is given."""
    from igen.report.write import write_report

    format = format or path.suffix.removeprefix(".")
    if format not in REPORT_FORMATS:
        raise InputError(
            f"no report format `{format}`", where=str(path), hint=f"one of {', '.join(REPORT_FORMATS)}"
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_report(result, path, format)
    except OSError as error:
        raise IgenError(f"cannot write: {(error.strerror or str(error)).lower()}", where=str(path)) from error
