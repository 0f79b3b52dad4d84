"""Writes a result as a report: HTML, Markdown with pictures, CSV or JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import msgspec

from igen.document import Document
from igen.errors import IgenError, InputError
from igen.judge.result import Finding, Part, Result
from igen.report.formats import Format, format_of

_EMPTY = ("", None, ())


def to_json(result: Result) -> str:
    """Return the result document, as `schema/result.schema.json` describes it.

    A number that is not finite becomes `null`. Empty fields of findings are left out.
    """
    return msgspec.json.format(msgspec.json.encode(_bare(result)), indent=2).decode() + "\n"


def _bare(value: Any) -> Any:
    """Return a value for JSON; findings and their parts are without empty fields."""
    if isinstance(value, list | tuple):
        return [_bare(each) for each in value]
    if isinstance(value, dict):
        return {name: _bare(each) for name, each in value.items()}
    if not is_dataclass(value):
        return value
    parts = {each.name: getattr(value, each.name) for each in fields(value)}
    may_be_left_out = isinstance(value, Finding | Part)
    return {name: _bare(each) for name, each in parts.items() if not (may_be_left_out and each in _EMPTY)}


def _contents(
    result: Result,
    path: Path,
    format: Format,
    runs: Mapping[str, Path],
    remarks: Sequence[str],
    *,
    statistics: bool,
) -> dict[Path, bytes]:
    """What goes into which file. Charts and numpy are imported only for the formats that need them."""
    if format == "csv":
        from igen.report.printers.spreadsheet import levels_csv, timeline_csv

        timeline = path.with_name(f"{path.stem}-timeline{path.suffix}")
        return {path: levels_csv(result).encode(), timeline: timeline_csv(result).encode()}
    if format == "json":
        return {path: to_json(result).encode()}
    from igen.report.outline import page

    return _page(page(result, remarks, statistics=statistics), path, format, runs)


def _page(document: Document, path: Path, format: Format, runs: Mapping[str, Path]) -> dict[Path, bytes]:
    from igen.report.printers.address import addresses

    address = addresses(path, runs)
    if format == "html":
        from igen.report.printers.html import print_html

        return {path: print_html(document, address).encode()}
    from igen.report.printers.markdown import print_markdown

    return print_markdown(document, path, address)


def write_document(document: Document, path: Path) -> list[Path]:
    """Writes a document that is none of a run, as HTML or Markdown by the file's suffix.

    Raises `InputError` for another suffix, and `IgenError` where a file cannot be written.
    """
    format = format_of(path)
    if format not in ("html", "markdown"):
        raise InputError("this is written as .html or .md", where=str(path), hint="--json prints JSON")
    return _written(_page(document, path, format, {}))


def write_report(
    result: Result,
    path: Path,
    format: Format,
    runs: Mapping[str, Path] | None = None,
    remarks: Sequence[str] = (),
    *,
    statistics: bool = False,
) -> list[Path]:
    """Writes the report to `path` and returns every file written, the main one first.

    Markdown puts its pictures into the folder `<stem>-charts` beside it, CSV its timeline into
    `<stem>-timeline`. `runs`: the folders of the runs by their ids, to which the report links. `remarks`:
    notes that people wrote on them. `statistics`: with tables of statistics. Missing folders are made. Raises
    `IgenError` if a file cannot be written.
    """
    return _written(_contents(result, path, format, runs or {}, remarks, statistics=statistics))


def _written(contents: Mapping[Path, bytes]) -> list[Path]:
    for file, data in contents.items():
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        except OSError as error:
            hint = "choose another place with -o"
            raise IgenError(f"cannot write: {error.strerror}", where=str(file), hint=hint) from error
    return list(contents)
