"""Writes a result as a report: HTML, Markdown with pictures, CSV or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from igen.analysis.result import Result
from igen.errors import IgenError

Format = Literal["html", "markdown", "csv", "json"]


def _contents(result: Result, path: Path, format: Format) -> dict[Path, bytes]:
    """What goes into which file. Charts and numpy are imported only for the formats that need them."""
    if format == "html":
        from igen.report.html import render_html

        return {path: render_html(result).encode()}
    if format == "markdown":
        from igen.report.markdown import render_markdown

        return render_markdown(result, path)
    if format == "csv":
        from igen.report.spreadsheet import levels_csv, timeline_csv

        timeline = path.with_name(f"{path.stem}-timeline{path.suffix}")
        return {path: levels_csv(result).encode(), timeline: timeline_csv(result).encode()}
    from igen.report.document import to_json

    return {path: to_json(result).encode()}


def write_report(result: Result, path: Path, format: Format) -> list[Path]:
    """Writes the report to `path` and returns every file written, the main one first.

    Markdown puts its charts into the folder `<stem>-charts` beside it, CSV its timeline into
    `<stem>-timeline`. Missing folders are made. Raises `IgenError` where a file cannot be written.
    """
    contents = _contents(result, path, format)
    for file, data in contents.items():
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        except OSError as error:
            hint = "choose another place with -o"
            raise IgenError(f"cannot write: {error.strerror}", where=str(file), hint=hint) from error
    return list(contents)
