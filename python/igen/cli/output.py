"""What several commands do with a result document: print it as JSON, write it as a report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from igen.analysis.result import Result
from igen.errors import InputError

if TYPE_CHECKING:
    from igen.report.write import Format

_FORMATS: dict[str, Format] = {".html": "html", ".md": "markdown", ".csv": "csv", ".json": "json"}
"""Format by the file's suffix."""


def print_json(value: Any) -> None:
    """One JSON document on standard output."""
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(value)))


def print_result_json(result: Result) -> None:
    """The result document on standard output."""
    from igen.report.document import to_json

    click.echo(to_json(result), nl=False)


def write_report_file(result: Result, path: Path, format: Format | None = None) -> None:
    """Writes the report in the format that the file's suffix says, unless another is given."""
    from igen.report.write import write_report

    format = format or _FORMATS.get(path.suffix)
    if format is None:
        hint = f"end its name with one of {', '.join(_FORMATS)}, or say --format"
        raise InputError("no format of reports ends like that", where=str(path), hint=hint)
    write_report(result, path, format)
