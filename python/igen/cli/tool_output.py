"""Output of a tool, as tables and sentences, or as a JSON document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import wrap
from typing import Any

import click

from igen.errors import InputError
from igen.report.tool import cell_text, header
from igen.units import format_time_ms

_WIDTH = 98
"""Width of sentences and paragraphs."""
_MOST_WIDTH = 160
"""Width of the widest terminal; a wider table is printed as paragraphs."""


def print_figure(lines: Iterable[dict[str, Any]]) -> int:
    """Prints only the number that the verdict is about, and returns the exit code that the verdict asks for.

    Raises `InputError` with the verdict where it is about none.
    """
    verdict = next(line["verdict"] for line in lines if "verdict" in line)
    if verdict.get("figure") is None:
        raise InputError(verdict["text"])
    click.echo(f"{verdict['figure']:.4g}")
    return int(verdict["finding"])


def print_tool(name: str, lines: Iterable[dict[str, Any]], *, as_json: bool) -> int:
    """Print the output of a tool as it arrives, and return the exit code of its verdict."""
    from igen.cli.output import print_json

    document: dict[str, Any] = {"tool": name, "tables": [], "notes": [], "verdict": None}
    for line in lines:
        match line:
            case {"progress": text} if not as_json:
                click.echo(text, err=True)
            case {"table": table}:
                document["tables"].append(table)
            case {"note": text}:
                document["notes"].append(text)
            case {"verdict": verdict}:
                document["verdict"] = verdict
    if as_json:
        print_json(document)
    else:
        _print_document(document)
    return int(document["verdict"]["finding"])


def _print_document(document: dict[str, Any]) -> None:
    for table in document["tables"]:
        if table["rows"]:
            click.echo(table["title"])
            for line in table_lines(table):
                click.echo(f"  {line}")
            click.echo()
    for note in document["notes"]:
        _say(f"note: {note}")
    verdict = document["verdict"]
    cost = verdict["cost"]
    wall, processor = format_time_ms(1e3 * cost["wall_s"]), format_time_ms(1e3 * cost["processor_s"])
    _say(f"method: {verdict['method']}; took {wall} and {processor} of CPU time")
    _say(f"{'finding' if verdict['finding'] else 'good'}: {verdict['text']}")


def _say(text: str) -> None:
    for line in wrap(text, _WIDTH, subsequent_indent="  ", break_on_hyphens=False):
        click.echo(line)


def table_lines(table: dict[str, Any]) -> list[str]:
    """Print a header and rows, numbers to the right; if they are too wide, a paragraph for each row."""
    names = table["columns"]
    rows = [[cell_text(name, row.get(name)) for name in names] for row in table["rows"]]
    heads = [header(name) for name in names]
    numeric = [
        all(isinstance(row.get(name), int | float | None) for row in table["rows"])
        and not all(row.get(name) is None for row in table["rows"])
        for name in names
    ]
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    if sum(widths) + 2 * len(widths) > _MOST_WIDTH:
        return [line for row in rows for line in _paragraph(heads, row)]
    return [
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, numeric, strict=True)
        ).rstrip()
        for line in [heads, *rows]
    ]


def _paragraph(heads: list[str], row: list[str]) -> Iterator[str]:
    """Print the first two cells of a row as its head, and the others below with their names."""
    yield "  ".join(row[:2])
    for head, cell in zip(heads[2:], row[2:], strict=True):
        yield from wrap(f"{head}: {cell}", _WIDTH, initial_indent="  ", subsequent_indent="    ")
